import { podOf } from './load.ts';

const OBJECTS = 20_000;

/** How long this machine takes now for what an API server does most: reading and writing JSON. */
export function measureBaseline(): number {
  const text = JSON.stringify(podOf(0, {}));
  const started = performance.now();
  let written = 0;
  for (let i = 0; i < OBJECTS; i++) written += JSON.stringify(JSON.parse(text)).length;
  if (written !== OBJECTS * text.length) throw new Error('JSON is not what it was');
  return (performance.now() - started) / 1000;
}
