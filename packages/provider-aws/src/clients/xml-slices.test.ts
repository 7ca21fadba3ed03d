import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sliceAnswer } from './xml-slices.ts';

const answerOf = (items: readonly string[], tail = ''): string =>
  `<R><requestId>r</requestId><aSet>${items.map((item) => `<item>${item}</item>`).join('')}</aSet>${tail}</R>`;

test('a long answer is cut between items, and each part is a whole answer', () => {
  const items = Array.from({ length: 20 }, (_, i) => `<n>${i}</n><bSet><item><c>x</c></item></bSet>`);
  const slices = sliceAnswer(answerOf(items, '<nextToken>t</nextToken>'), 200)!;
  assert.ok(slices.length > 3);
  assert.deepEqual(
    slices.flatMap((slice) => slice.match(/<n>\d+<\/n>/g)),
    items.map((item) => item.slice(0, item.indexOf('<bSet>'))),
  );
  for (const slice of slices) {
    assert.ok(slice.startsWith('<R><requestId>r</requestId><aSet><item>'));
    assert.ok(slice.endsWith('</item></aSet><nextToken>t</nextToken></R>'));
  }
});

test('an item longer than a slice has one of its own', () => {
  const slices = sliceAnswer(answerOf(['a'.repeat(300), 'b', 'c'.repeat(300)]), 100)!;
  assert.deepEqual(
    slices.map((slice) => slice.match(/<item>/g)!.length),
    [1, 1, 1],
  );
});

test('short answers, single items and other forms are left whole', () => {
  assert.equal(sliceAnswer(answerOf(['a', 'b']), 1000), undefined);
  assert.equal(sliceAnswer(answerOf(['a'.repeat(300)]), 100), undefined);
  assert.equal(sliceAnswer(`<R>${'x'.repeat(300)}</R>`, 100), undefined);
  assert.equal(sliceAnswer(`<R><aSet><item><n>${'x'.repeat(300)}`, 100), undefined, 'cut off');
});

test('only the first list is cut; a second one is part of every slice', () => {
  const xml = `<R><aSet><item>${'a'.repeat(90)}</item><item>${'b'.repeat(90)}</item></aSet><bSet><item>c</item></bSet></R>`;
  const slices = sliceAnswer(xml, 100)!;
  assert.equal(slices.length, 2);
  for (const slice of slices) assert.ok(slice.endsWith('</aSet><bSet><item>c</item></bSet></R>'));
});

test('a reservation of many instances is cut between them, and stays a reservation in each part', () => {
  const instance = (i: number) => `<item><id>${i}</id><tagSet><item><k>x</k></item></tagSet></item>`;
  const instances = Array.from({ length: 20 }, (_, i) => instance(i)).join('');
  const large = `<reservationId>r-1</reservationId><groupSet/><instancesSet>${instances}</instancesSet><ownerId>1</ownerId>`;
  const small = `<reservationId>r-2</reservationId><instancesSet>${instance(20)}</instancesSet>`;
  const slices = sliceAnswer(answerOf([small, large, small.replaceAll('20', '21').replace('r-2', 'r-3')]), 300)!;
  assert.ok(slices.length > 5);
  const told = slices.flatMap((slice) =>
    [
      ...slice.matchAll(/<reservationId>(r-\d)<\/reservationId>(?:<groupSet\/>)?<instancesSet>(.*?)<\/instancesSet>/g),
    ].map(([, reservation, list = '']) => [reservation, list.match(/(?<=<id>)\d+/g)]),
  );
  assert.deepEqual(
    told.flatMap(([reservation, ids]) => (ids as string[]).map((id) => `${reservation as string} ${id}`)),
    ['r-2 20', ...Array.from({ length: 20 }, (_, i) => `r-1 ${i}`), 'r-3 21'],
  );
  for (const slice of slices) assert.ok(slice.length < 500, slice);
  for (const slice of slices) assert.equal(slice.match(/<item>/g)!.length, slice.match(/<\/item>/g)!.length);
});
