import { podOf } from './load.ts';

const OBJECTS = 20_000;

/** Measures how fast this host currently reads and writes JSON, which is most of an API server's work. */
export function measureBaseline(): number {
  const text = JSON.stringify(podOf(0, {}));
  const started = performance.now();
  let written = 0;
  for (let i = 0; i < OBJECTS; i++) written += JSON.stringify(JSON.parse(text)).length;
  if (written !== OBJECTS * text.length) throw new Error('JSON is not what it was');
  return (performance.now() - started) / 1000;
}
