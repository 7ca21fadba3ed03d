import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HOUR, MINUTE, SECOND } from '../clock.ts';
import { Metrics } from '../metrics/registry.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { DEFAULT_RETRIES, rateLimiter } from './rate-limiter.ts';
import { LOW_PRIORITY, WorkQueue } from './work-queue.ts';

function setUp() {
  const clock = new VirtualClock();
  const metrics = new Metrics(clock);
  const counts = { ready: 0 };
  const queue = new WorkQueue<string>({
    name: 'test',
    clock,
    metrics,
    limiter: rateLimiter(DEFAULT_RETRIES, clock, () => 0),
    onReady: () => counts.ready++,
  });
  return { clock, metrics, queue, counts };
}

/** Takes and finishes everything that is ready. */
function drain(queue: WorkQueue<string>): string[] {
  const keys: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) {
    keys.push(item.key);
    queue.done(item.key);
  }
  return keys;
}

async function page(metrics: Metrics): Promise<string[]> {
  let text = '';
  for await (const slice of metrics.render('text')) text += slice;
  return text.split('\n').filter((line) => line.startsWith('workqueue_') && !line.includes('_bucket'));
}

test('keys come out in the order they went in, each once', () => {
  const { queue } = setUp();
  for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);
  assert.deepEqual(drain(queue), ['a', 'b', 'c']);
  assert.equal(queue.take(), undefined);
});

test('05/41 a live change is served before a thousand keys of the initial list', () => {
  const { queue } = setUp();
  for (let i = 0; i < 1000; i++) queue.add(`listed-${i}`, LOW_PRIORITY);
  queue.add('changed');
  const order = drain(queue);
  assert.equal(order[0], 'changed');
  assert.equal(order[1], 'listed-0');
  assert.equal(order.length, 1001);
});

test('a queued key that changes moves behind the others of its new priority, and never back', () => {
  const { queue } = setUp();
  queue.add('listed', LOW_PRIORITY);
  queue.add('first');
  queue.add('listed');
  queue.add('last');
  queue.add('first', LOW_PRIORITY);
  assert.deepEqual(drain(queue), ['first', 'listed', 'last']);
});

test('05/42 a key added thrice while it runs is handed out once more, after it is done', () => {
  const { queue, counts } = setUp();
  queue.add('key');
  assert.equal(queue.take()?.key, 'key');
  const before = counts.ready;
  for (let i = 0; i < 3; i++) queue.add('key');
  assert.equal(queue.take(), undefined);
  assert.equal(counts.ready, before);
  queue.done('key');
  assert.equal(counts.ready, before + 1);
  assert.deepEqual(drain(queue), ['key']);
});

test('a delayed key appears when its time has come, and the earliest of several times holds', async () => {
  const { queue, clock } = setUp();
  queue.addAfter('key', 3 * SECOND);
  queue.addAfter('key', 1 * SECOND);
  queue.addAfter('key', 2 * SECOND);
  queue.addAfter('other', 1 * MINUTE);
  await clock.advance(1 * SECOND - 1);
  assert.deepEqual(drain(queue), []);
  await clock.advance(1);
  assert.deepEqual(drain(queue), ['key']);
  await clock.advance(30 * SECOND);
  assert.deepEqual(drain(queue), []);
  queue.add('other');
  assert.deepEqual(drain(queue), ['other']);
  await clock.advance(1 * MINUTE);
  assert.deepEqual(drain(queue), []);
});

test('a key takes one place, however often it changes while it waits', async () => {
  const { queue, clock } = setUp();
  const EXPIRY = 720 * HOUR;
  for (let update = 0; update < 300; update++) {
    queue.add('claim');
    assert.deepEqual(drain(queue), ['claim']);
    queue.addAfter('claim', EXPIRY - update * MINUTE); // the same instant each time
    queue.addAfter('other', EXPIRY - update * HOUR); // sooner each time
    await clock.advance(1 * MINUTE);
  }
  assert.equal(queue.slots, 2);
});

test('a key takes one place, however often its priority is raised', () => {
  const { queue } = setUp();
  for (let priority = 0; priority < 300; priority++) {
    queue.add('ready', priority);
    queue.addAfter('waiting', 1 * HOUR, priority);
  }
  assert.equal(queue.slots, 2);
});

test('keys that waited are served in the order they became ready, whatever order they were added in', async () => {
  const { queue, clock } = setUp();
  queue.addAfter('slow', 20);
  queue.addAfter('quick', 10);
  await clock.advance(15);
  queue.add('now');
  await clock.advance(15);
  assert.deepEqual(drain(queue), ['quick', 'now', 'slow']);
});

test('a delay that ends while the key runs makes it run again after', async () => {
  const { queue, clock } = setUp();
  queue.add('key');
  queue.take();
  queue.addAfter('key', 10);
  await clock.advance(10);
  assert.equal(queue.take(), undefined);
  queue.done('key');
  assert.deepEqual(drain(queue), ['key']);
});

test('05/39 a key that keeps failing waits twice as long each time, and the base again once forgotten', async () => {
  const { queue, clock } = setUp();
  for (const delay of [5, 10, 20]) {
    queue.addRateLimited('key');
    await clock.advance(delay - 1);
    assert.deepEqual(drain(queue), []);
    await clock.advance(1);
    assert.deepEqual(drain(queue), ['key']);
  }
  queue.forget('key');
  queue.addRateLimited('key');
  await clock.advance(5);
  assert.deepEqual(drain(queue), ['key']);
});

test('after shutting down nothing goes in or out, and what runs may end', async () => {
  const { queue, clock } = setUp();
  queue.add('running');
  queue.take();
  queue.add('ready');
  queue.addAfter('waiting', 10);
  queue.shutDown();
  queue.add('late');
  queue.done('running');
  await clock.advance(1 * SECOND);
  assert.equal(queue.take(), undefined);
});

test('the metrics tell depth by priority, adds, retries, waiting, work, and what is stuck', async () => {
  const { queue, clock, metrics } = setUp();
  queue.add('a');
  queue.add('b', LOW_PRIORITY);
  queue.add('b', LOW_PRIORITY);
  queue.addAfter('c', 10 * SECOND);
  await clock.advance(2 * SECOND);
  queue.take();
  await clock.advance(3 * SECOND);
  queue.add('b'); // raised: still one item
  const labels = '{controller="test",name="test"}';
  assert.deepEqual(await page(metrics), [
    `workqueue_adds_total${labels} 2`,
    'workqueue_depth{controller="test",name="test",priority="0"} 1',
    'workqueue_depth{controller="test",name="test",priority="-100"} 0',
    `workqueue_longest_running_processor_seconds${labels} 3`,
    `workqueue_queue_duration_seconds_sum${labels} 2`,
    `workqueue_queue_duration_seconds_count${labels} 1`,
    `workqueue_retries_total${labels} 1`,
    `workqueue_unfinished_work_seconds${labels} 3`,
  ]);
  queue.done('a');
  const after = await page(metrics);
  assert.ok(after.includes(`workqueue_work_duration_seconds_sum${labels} 3`));
  assert.ok(after.includes(`workqueue_unfinished_work_seconds${labels} 0`));
});

test('past 25 priorities all further ones share one series, and depths still return to zero', async () => {
  const { queue, metrics } = setUp();
  for (let priority = 1; priority <= 30; priority++) queue.add(`key-${priority}`, priority);
  const depths = (await page(metrics)).filter((line) => line.startsWith('workqueue_depth'));
  assert.equal(depths.length, 26);
  assert.ok(depths.includes('workqueue_depth{controller="test",name="test",priority="exceeded_cardinality_limit"} 5'));
  drain(queue);
  for (const line of await page(metrics)) if (line.startsWith('workqueue_depth')) assert.ok(line.endsWith(' 0'), line);
});

type Step =
  | { readonly do: 'add'; readonly key: number; readonly priority: number; readonly delay: number }
  | { readonly do: 'take' | 'done' | 'pass' };

/** The rules of spec 05 §3.1 in the plainest form: one list, searched from the front each time. */
class Model {
  items: { key: string; priority: number; readyAt: number; order: number }[] = [];
  running: string[] = [];
  now = 0;
  order = 0;

  add(key: string, priority: number, delay: number): void {
    const readyAt = this.now + delay;
    const old = this.items.find((item) => item.key === key);
    if (old === undefined) {
      this.items.push({ key, priority, readyAt, order: this.order++ });
      return;
    }
    if (priority > old.priority) [old.priority, old.order] = [priority, this.order++];
    old.readyAt = Math.min(old.readyAt, readyAt);
  }

  pass(): void {
    this.now++;
    const woken = this.items.filter((item) => item.readyAt === this.now);
    for (const item of woken.sort((a, b) => b.priority - a.priority || a.order - b.order)) item.order = this.order++;
  }

  take(): string | undefined {
    const ready = this.items.filter((item) => item.readyAt <= this.now && !this.running.includes(item.key));
    const next = ready.sort((a, b) => b.priority - a.priority || a.order - b.order)[0];
    if (next === undefined) return undefined;
    this.items.splice(this.items.indexOf(next), 1);
    this.running.push(next.key);
    return next.key;
  }
}

test('any script of adds, takes and time gives what a plain list would', async () => {
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({
      do: fc.constant('add' as const),
      key: fc.nat({ max: 4 }),
      priority: fc.constantFrom(0, 0, LOW_PRIORITY),
      delay: fc.constantFrom(0, 0, 1, 2, 3),
    }),
    fc.record({ do: fc.constantFrom('take' as const, 'done' as const, 'pass' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (script) => {
      const { queue, clock } = setUp();
      const model = new Model();
      for (const next of script) {
        if (next.do === 'add') {
          queue.addAfter(`k${next.key}`, next.delay, next.priority);
          model.add(`k${next.key}`, next.priority, next.delay);
        } else if (next.do === 'take') {
          assert.equal(queue.take()?.key, model.take());
        } else if (next.do === 'done') {
          const key = model.running.shift();
          if (key !== undefined) queue.done(key);
        } else {
          await clock.advance(1);
          model.pass();
        }
        assert.ok(queue.slots <= model.items.length, 'a key has more than one place');
      }
    }),
    { numRuns: 200 },
  );
});
