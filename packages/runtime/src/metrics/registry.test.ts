import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, MINUTE } from '../clock.ts';
import { AdjustableClock } from '../testing/adjustable-clock.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { defineCounter, defineGauge, defineHistogram, defineSummary } from './definition.ts';
import { Metrics } from './registry.ts';
import type { TextFormat } from './text-format.ts';

const requests = defineCounter('requests_total', ['verb', 'code'], 'Requests, by answer.');
const temperature = defineGauge('temperature', [], 'How warm it is.');
const duration = defineHistogram('duration_seconds', ['step'], 'How long a step takes.', [0.1, 1, 10]);
const size = defineSummary('size_bytes', [], 'How large things are.', [0, 0.5, 1]);

async function slicesOf(metrics: Metrics, format: TextFormat): Promise<string[]> {
  const slices: string[] = [];
  for await (const slice of metrics.render(format)) slices.push(slice);
  return slices;
}

async function page(metrics: Metrics, format: TextFormat = 'text'): Promise<string> {
  return (await slicesOf(metrics, format)).join('');
}

test('a page lists metrics by name, labels by name, and histograms with cumulative buckets', async () => {
  const metrics = new Metrics(new VirtualClock());
  metrics.increment(requests, { verb: 'GET', code: '200' });
  metrics.increment(requests, { verb: 'GET', code: '200' }, 2);
  metrics.set(temperature, {}, 21.5);
  for (const seconds of [0.05, 0.1, 5, 100]) metrics.observe(duration, { step: 'launch' }, seconds);
  for (const bytes of [3, 1, 2]) metrics.observe(size, {}, bytes);
  assert.equal(
    await page(metrics),
    `# HELP duration_seconds How long a step takes.
# TYPE duration_seconds histogram
duration_seconds_bucket{step="launch",le="0.1"} 2
duration_seconds_bucket{step="launch",le="1"} 2
duration_seconds_bucket{step="launch",le="10"} 3
duration_seconds_bucket{step="launch",le="+Inf"} 4
duration_seconds_sum{step="launch"} 105.15
duration_seconds_count{step="launch"} 4
# HELP requests_total Requests, by answer.
# TYPE requests_total counter
requests_total{code="200",verb="GET"} 3
# HELP size_bytes How large things are.
# TYPE size_bytes summary
size_bytes{quantile="0"} 1
size_bytes{quantile="0.5"} 2
size_bytes{quantile="1"} 3
size_bytes_sum 6
size_bytes_count 3
# HELP temperature How warm it is.
# TYPE temperature gauge
temperature 21.5
`,
  );
});

test('OpenMetrics names counters without their suffix, ends with EOF and has the same samples', async () => {
  const metrics = new Metrics(new VirtualClock());
  metrics.increment(requests, { verb: 'GET', code: '200' });
  metrics.increment(defineCounter('restarts', [], 'Say "when".'), {});
  metrics.observe(size, {}, 1);
  assert.equal(
    await page(metrics, 'openmetrics'),
    `# HELP requests Requests, by answer.
# TYPE requests counter
requests_total{code="200",verb="GET"} 1
# HELP restarts Say \\"when\\".
# TYPE restarts unknown
restarts 1
# HELP size_bytes How large things are.
# TYPE size_bytes summary
size_bytes{quantile="0"} 1
size_bytes{quantile="0.5"} 1
size_bytes{quantile="1"} 1
size_bytes_sum 1
size_bytes_count 1
# EOF
`,
  );
});

test('label values and help are escaped, and an empty value is shown', async () => {
  const metrics = new Metrics(new VirtualClock());
  const gauge = defineGauge('odd', ['path', 'note'], 'A \\ and a\nnew line.');
  metrics.set(gauge, { path: 'C:\\"dir"', note: 'two\nlines' }, 1);
  metrics.set(gauge, { path: '', note: '' }, 2);
  assert.equal(
    await page(metrics),
    `# HELP odd A \\\\ and a\\nnew line.
# TYPE odd gauge
odd{note="two\\nlines",path="C:\\\\\\"dir\\""} 1
odd{note="",path=""} 2
`,
  );
});

test('a series exists from its first write, be it of 0, until it is removed', async () => {
  const metrics = new Metrics(new VirtualClock());
  const labels = { verb: 'GET', code: '500' };
  assert.equal(metrics.find(requests, labels), undefined);
  metrics.increment(requests, labels, 0);
  assert.equal(metrics.find(requests, labels), 0);
  metrics.remove(requests, labels);
  metrics.remove(requests, labels);
  assert.equal(metrics.find(requests, labels), undefined);
  assert.equal(await page(metrics), '');
});

test('a series that is kept is the one that its labels name', async () => {
  const metrics = new Metrics(new VirtualClock());
  const gets = metrics.scalar(requests, { verb: 'GET', code: '200' });
  assert.equal(metrics.find(requests, { verb: 'GET', code: '200' }), 0);
  gets.value += 2;
  metrics.increment(requests, { verb: 'GET', code: '200' });
  assert.equal(gets.value, 3);
  assert.equal(metrics.scalar(requests, { code: '200', verb: 'GET' }), gets);
  metrics.histogram(duration, { step: 'launch' }).observe(5);
  metrics.observe(duration, { step: 'launch' }, 5);
  assert.equal(metrics.find(duration, { step: 'launch' }), 2);
});

test('values that differ only in where a separator stands are different series', () => {
  const metrics = new Metrics(new VirtualClock());
  metrics.increment(requests, { verb: 'a",code="b', code: 'c' });
  assert.equal(metrics.find(requests, { verb: 'a', code: 'b",code="c' }), undefined);
});

test('gauges move both ways; counters refuse to go down', () => {
  const metrics = new Metrics(new VirtualClock());
  metrics.add(temperature, {}, 3);
  metrics.add(temperature, {}, -5);
  assert.equal(metrics.find(temperature, {}), -2);
  assert.throws(() => metrics.increment(requests, { verb: 'GET', code: '200' }, -1), /cannot decrease/);
});

test('two definitions of one name are refused when the second is used', () => {
  const metrics = new Metrics(new VirtualClock());
  metrics.set(temperature, {}, 1);
  const twin = defineGauge('temperature', ['room'], 'By room.');
  assert.throws(() => metrics.set(twin, { room: 'kitchen' }, 1), /temperature is defined twice/);
});

test('wrong labels do not compile', () => {
  const metrics = new Metrics(new VirtualClock());
  // @ts-expect-error `code` is missing
  metrics.increment(requests, { verb: 'GET' });
  // @ts-expect-error `host` is no label of it
  metrics.increment(requests, { verb: 'GET', code: '200', host: 'a' });
  // @ts-expect-error it has no labels
  metrics.set(temperature, { room: 'kitchen' }, 1);
  // @ts-expect-error a counter cannot be set
  metrics.set(requests, { verb: 'GET', code: '200' }, 1);
  assert.equal(metrics.find(requests, { verb: 'GET', code: '' }), 1);
});

test('definitions refuse bad names, reserved labels and buckets that do not ascend', () => {
  assert.throws(() => defineCounter('9lives_total', [], ''), /no metric name/);
  assert.throws(() => defineCounter('a_total', ['b-c'], ''), /no label name/);
  assert.throws(() => defineGauge('a', ['b', 'b'], ''), /label twice/);
  assert.throws(() => defineHistogram('a', ['le'], '', [1]), /no label name/);
  assert.throws(() => defineHistogram('a', [], '', [2, 1]), /do not ascend/);
  assert.throws(() => defineSummary('a', ['quantile'], '', [1]), /no label name/);
});

test('hooks run before each page, and one that throws is counted and stops no other', async () => {
  const metrics = new Metrics(new VirtualClock());
  metrics.collect(() => Promise.reject(new Error('no reading')));
  metrics.collect(() => metrics.add(temperature, {}, 1));
  await page(metrics);
  assert.match(await page(metrics), /promhttp_metric_handler_errors_total\{cause="gathering"\} 2\n/);
  assert.equal(metrics.find(temperature, {}), 2);
});

test('quantiles cover ten minutes in steps of two, sum and count all time, and nothing recent is NaN', async () => {
  const clock = new AdjustableClock();
  const metrics = new Metrics(clock);
  metrics.observe(size, {}, 100);
  clock.setWallBy(-1 * HOUR); // which makes nothing younger
  await clock.advance(5 * MINUTE);
  metrics.observe(size, {}, 1);
  assert.match(await page(metrics), /quantile="1"\} 100\n/);
  await clock.advance(5 * MINUTE);
  assert.match(await page(metrics), /quantile="1"\} 1\n/);
  await clock.advance(10 * MINUTE);
  const text = await page(metrics);
  assert.match(text, /quantile="0"\} NaN\nsize_bytes\{quantile="0.5"\} NaN\nsize_bytes\{quantile="1"\} NaN\n/);
  assert.match(text, /size_bytes_sum 101\nsize_bytes_count 2\n/);
});

test('a large page comes in slices, others run in between, and what they change appears at most once', async () => {
  const metrics = new Metrics(new VirtualClock());
  const phase = defineGauge('pods', ['pod'], 'Pods.');
  for (let i = 0; i < 10_000; i++) metrics.set(phase, { pod: `pod-${i}` }, 1);
  let turns = 0;
  const ticking = setInterval(() => turns++, 0);
  const others = setImmediate(() => {
    metrics.remove(phase, { pod: 'pod-0' });
    metrics.set(phase, { pod: 'pod-0' }, 2);
  });
  const slices = await slicesOf(metrics, 'text');
  clearInterval(ticking);
  clearImmediate(others);
  assert.ok(slices.length > 2 && slices.every((slice) => slice.length < 70_000));
  assert.ok(turns > 0);
  assert.equal(slices.join('').match(/pod="pod-0"/g)?.length, 1);
});

test('samples that are computed for each page stand beside those that were written, and vanish by themselves', async () => {
  const metrics = new Metrics(new VirtualClock());
  const heat = defineGauge('heat', ['room'], 'How warm a room is.');
  const rooms = new Map([['hall', 18]]);
  const present = (): { labels: { room: string }; value: number }[] =>
    [...rooms].map(([room, value]) => ({ labels: { room }, value }));
  metrics.set(heat, { room: 'attic' }, 30);
  metrics.expose(heat, present);
  assert.match(await page(metrics), /# TYPE heat gauge\nheat\{room="attic"\} 30\nheat\{room="hall"\} 18\n/);
  assert.equal(metrics.find(heat, { room: 'hall' }), 18);
  rooms.clear();
  assert.equal(metrics.find(heat, { room: 'hall' }), undefined);
  metrics.remove(heat, { room: 'attic' });
  assert.equal(await page(metrics), '');
});

test('samples that cannot be computed cost only themselves, and are counted', async () => {
  const metrics = new Metrics(new VirtualClock());
  metrics.set(temperature, {}, 3);
  metrics.expose(defineGauge('broken', [], 'Never known.'), () => {
    throw new Error('no sensor');
  });
  assert.equal(await page(metrics), '# HELP temperature How warm it is.\n# TYPE temperature gauge\ntemperature 3\n');
  assert.match(await page(metrics), /promhttp_metric_handler_errors_total\{cause="gathering"\} \d/);
});

test('others get their turn while a page looks at many objects of which none shows anything', async () => {
  const metrics = new Metrics(new VirtualClock());
  let inThisTurn = 0;
  let most = 0;
  metrics.expose(defineGauge('rare', [], 'Seldom there.'), function* () {
    for (let i = 0; i < 50_000; i++) {
      most = Math.max(most, ++inThisTurn);
      yield i === 40_000 ? { labels: {}, value: 1 } : undefined;
    }
  });
  let isRendering = true;
  const others = (): void => {
    inThisTurn = 0;
    if (isRendering) setImmediate(others);
  };
  setImmediate(others);
  assert.deepEqual(await slicesOf(metrics, 'text'), ['# HELP rare Seldom there.\n# TYPE rare gauge\nrare 1\n', '']);
  isRendering = false;
  assert.ok(most <= 2048, `${most} at a time`);
});
