import type { ApiObject } from '@karpenter-ts/kubernetes';
import type { Transport, TransportRequest, TransportResponse } from '@karpenter-ts/runtime';

/** How an object looks to a client, or the object itself. */
type Change = (object: never) => ApiObject;

interface Body extends ApiObject {
  readonly items?: readonly ApiObject[];
}

/** Changes the objects of one kind in everything that the server answers: lists, watches, and answers to writes. */
export function changingObjects(plural: string, change: Change): (transport: Transport) => Transport {
  const isMeant = ({ path }: TransportRequest): boolean => path.split(/[/?]/).includes(plural);
  return (transport) => ({
    send: async (request, signal) => {
      const answer = await transport.send(request, signal);
      if (!isMeant(request) || answer.status >= 300) return answer;
      const isWatch = request.path.includes('watch=true');
      const body = isWatch ? changedLines(answer, change) : changedWhole(answer, change);
      return { ...answer, body, discard: () => answer.discard() };
    },
    close: () => transport.close(),
  });
}

async function* changedWhole({ body }: TransportResponse, change: Change): AsyncGenerator<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const whole = JSON.parse(Buffer.concat(chunks).toString()) as Body;
  const changed = whole.items === undefined ? apply(change, whole) : withItems(whole, change);
  yield Buffer.from(JSON.stringify(changed));
}

/** Each line of a watch is an event with its object. */
async function* changedLines({ body }: TransportResponse, change: Change): AsyncGenerator<Buffer> {
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    const changed = lines.filter(Boolean).map((line) => {
      const event = JSON.parse(line) as { readonly type: string; readonly object: ApiObject };
      return event.type === 'BOOKMARK' ? line : JSON.stringify({ ...event, object: apply(change, event.object) });
    });
    if (changed.length > 0) yield Buffer.from(`${changed.join('\n')}\n`);
  }
}

function withItems(list: Body, change: Change): Body {
  return { ...list, items: list.items?.map((item) => apply(change, item)) ?? [] };
}

/** What is no object of the kind, such as a Status, stays as it is. */
function apply(change: Change, object: ApiObject): ApiObject {
  return object.metadata?.name === undefined ? object : change(object as never);
}
