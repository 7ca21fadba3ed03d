import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Figures } from '../up/figures.ts';
import { ProgressLines } from './progress.ts';

const FIGURES: Figures = {
  pods: { running: 0, pending: 5, terminating: 0 },
  nodes: { ready: 0, starting: 0, silent: 0, terminating: 0 },
  types: [],
  pricePerHour: 0,
};

function write(hasColors: boolean): { readonly lines: ProgressLines; readonly written: string[] } {
  const written: string[] = [];
  return {
    written,
    lines: new ProgressLines(
      (line) => void written.push(line),
      () => 1234,
      hasColors,
    ),
  };
}

test('a line says what is new, and nothing is said twice', () => {
  const { lines, written } = write(false);
  lines.show({ ...FIGURES, pods: { running: 0, pending: 0, terminating: 0 } });
  assert.deepEqual(written, []);
  lines.show(FIGURES);
  lines.show(FIGURES);
  const nodes = { ...FIGURES.nodes, ready: 6, starting: 1 };
  const types = ['a spot', 'b spot', 'c spot', 'd spot', 'e spot'].map((type, i) => [type, i === 0 ? 3 : 1] as const);
  lines.show({ ...FIGURES, nodes, types, pricePerHour: 1.5 });
  lines.show({ ...FIGURES, pods: { running: 5, pending: 0, terminating: 1 } });
  assert.deepEqual(written, [
    '   1.2s  pods   5 pending\n',
    '   1.2s  nodes  6 ready, 1 starting: 3 a spot, 1 b spot, 1 c spot, 2 of 2 other types, $1.5000 an hour\n',
    '   1.2s  pods   5 running, 1 terminating\n',
    '   1.2s  nodes  none\n',
  ]);
});

test('the same step can be told twice', () => {
  const { lines, written } = write(false);
  lines.tell('web is scaled to 5');
  lines.tell('web is scaled to 5');
  assert.deepEqual(written, ['   1.2s  step   web is scaled to 5\n', '   1.2s  step   web is scaled to 5\n']);
});

test('colours are for those who can see them', () => {
  const { lines, written } = write(true);
  lines.show(FIGURES);
  assert.ok(written[0]!.includes('\u001b[33m5 pending\u001b[39m'));
});
