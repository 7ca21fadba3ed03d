/** How much of an answer is parsed in one turn of the event loop: 10 ms of work, a fifth of what probes tolerate. */
const SLICE_LENGTH = 64 * 1024;

/**
 * Cuts a long answer of EC2 into answers with some of the items each. Parsing a page of 1,000 instances takes 0.4 s,
 * which nothing else could use; parsed slice by slice, other work gets its turns. Undefined if the answer is short, or
 * does not have the form `<Answer>…<someSet><item>…</item>…</someSet>…</Answer>`.
 */
export function sliceAnswer(xml: string, sliceLength = SLICE_LENGTH): readonly string[] | undefined {
  if (xml.length <= sliceLength) return undefined;
  const slices = sliceList(xml, 0, sliceLength);
  return slices === undefined || slices.length < 2 ? undefined : slices;
}

/** What a reservation lists: a fleet has one reservation for all its instances, which is one item of the answer. */
const INNER_LIST = '<instancesSet>';

/** Slices of the list that begins after `from`. */
function sliceList(xml: string, from: number, sliceLength: number): readonly string[] | undefined {
  const items = findItems(xml, from);
  if (items === undefined) return undefined;
  const head = xml.slice(0, items.start);
  const tail = xml.slice(items.end);
  return items.cuts(sliceLength).flatMap(([start, end]) => {
    const slice = head + xml.slice(start, end) + tail;
    if (end - start <= sliceLength) return slice;
    const inner = slice.indexOf(INNER_LIST, head.length);
    return (inner === -1 ? undefined : sliceList(slice, inner, sliceLength)) ?? slice;
  });
}

interface Items {
  readonly start: number;
  readonly end: number;
  cuts(length: number): readonly (readonly [number, number])[];
}

/** Where the items of the first list are. Text is escaped, so that `<item>` in it cannot be mistaken for a tag. */
function findItems(xml: string, from: number): Items | undefined {
  const start = xml.indexOf('<item>', from);
  if (start === -1) return undefined;
  const ends: number[] = [];
  const tags = /<(\/?)item>/g;
  tags.lastIndex = start;
  let depth = 0;
  let last = start;
  for (let tag = tags.exec(xml); tag !== null; tag = tags.exec(xml)) {
    if (depth === 0 && xml.slice(last, tag.index).trim() !== '') break; // the items of another list
    depth += tag[1] === '' ? 1 : -1;
    if (depth < 0) break; // the end of the item that the list is in
    if (depth > 0) continue;
    last = tags.lastIndex;
    ends.push(last);
  }
  if (depth > 0 || ends.length === 0) return undefined;
  return { start, end: last, cuts: (length) => cutsOf(start, ends, length) };
}

/** Neighbouring items together, as long as they are no longer than `length`. */
function cutsOf(start: number, ends: readonly number[], length: number): readonly (readonly [number, number])[] {
  const cuts: (readonly [number, number])[] = [];
  let from = start;
  let to = start;
  for (const end of ends) {
    if (end - from > length && to > from) {
      cuts.push([from, to]);
      from = to;
    }
    to = end;
  }
  cuts.push([from, to]);
  return cuts;
}
