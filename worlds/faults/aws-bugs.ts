import type { SdkHandler, SdkRequest } from '@karpenter-ts/aws-emulator';
import type { Transport } from '@karpenter-ts/runtime';
import { awsCallOf, bodyOf } from './aws-connection.ts';
import type { SeededBug } from './seeded-bug.ts';

type Answer = Awaited<ReturnType<SdkHandler['handle']>>;
type Change = (request: SdkRequest, send: (request: SdkRequest) => Promise<Answer>) => Promise<Answer>;

/** Bugs of an operator on AWS. They are put between the provider and AWS, or between the operator and the API server. */
export const AWS_BUGS: Readonly<Record<string, SeededBug>> = {
  'passes over instances that nobody claims': {
    breaks: 'leak',
    cloud: 'aws',
    aws: changing('DescribeInstances', listingNothing),
  },
  'leaves its launch templates behind': {
    breaks: 'template',
    cloud: 'aws',
    aws: changing('DeleteLaunchTemplate', pretending(200, emptyXml('DeleteLaunchTemplateResponse'))),
  },
  'leaves its instance profiles behind': {
    breaks: 'profile',
    cloud: 'aws',
    aws: changing('DeleteInstanceProfile', pretending(200, emptyXml('DeleteInstanceProfileResponse'))),
  },
  'deletes messages before it has read them': {
    breaks: 'interruption',
    cloud: 'aws',
    aws: changing('ReceiveMessage', deletingAtOnce),
  },
  'drains nothing that is interrupted': {
    breaks: 'drain',
    cloud: 'aws',
    worlds: ['aws:interruption'],
    transport: evictingNothing,
  },
  'asks for a second instance when the answer is lost': {
    breaks: 'double',
    cloud: 'aws',
    worlds: ['aws:lost-answer'],
    aws: changing('CreateFleet', withNewToken()),
  },
  'forgets what EC2 has none of': {
    breaks: 'capacity',
    cloud: 'aws',
    worlds: ['aws:drought'],
    aws: changing('CreateFleet', withoutRefusals),
  },
  'terminates an instance too many': {
    breaks: 'orphan',
    cloud: 'aws',
    worlds: ['aws:interruption'],
    aws: terminatingMore,
  },
};

function changing(operation: string, change: Change): (connection: SdkHandler) => SdkHandler {
  return (connection) => ({
    handle: (request, options) => {
      const send = (one: SdkRequest): Promise<Answer> => connection.handle(one, options);
      return awsCallOf(request).operation === operation ? change(request, send) : send(request);
    },
  });
}

/** What is asked for by tags is what garbage collection looks at; by ids, single instances. */
async function listingNothing(request: SdkRequest, send: (request: SdkRequest) => Promise<Answer>): Promise<Answer> {
  const answer = await send(request);
  const isListing = [...awsCallOf(request).parameters.keys()].some((name) => name.startsWith('Filter.'));
  if (!isListing) return answer;
  return withBody(answer, textOf(answer).replace(/<reservationSet>.*<\/reservationSet>/s, '<reservationSet/>'));
}

function emptyXml(root: string): string {
  return `<${root}><requestId>none</requestId></${root}>`;
}

/** Answers as if it had been done. */
function pretending(statusCode: number, body: string): Change {
  return async () => ({ response: { statusCode, headers: { 'content-type': 'text/xml' }, body: Buffer.from(body) } });
}

async function deletingAtOnce(request: SdkRequest, send: (request: SdkRequest) => Promise<Answer>): Promise<Answer> {
  const answer = await send(request);
  const { QueueUrl } = JSON.parse(bodyOf(request) || '{}') as { readonly QueueUrl: string };
  const { Messages = [] } = JSON.parse(textOf(answer) || '{}') as {
    readonly Messages?: readonly { readonly ReceiptHandle: string }[];
  };
  for (const { ReceiptHandle } of Messages) {
    const headers = { ...request.headers };
    for (const name of Object.keys(headers)) {
      if (name.toLowerCase() === 'x-amz-target') headers[name] = 'AmazonSQS.DeleteMessage';
    }
    await send({ ...request, headers, body: JSON.stringify({ QueueUrl, ReceiptHandle }) }).catch(() => undefined);
  }
  return answer;
}

/** Sends every request as one that EC2 has not seen. */
function withNewToken(): Change {
  let count = 0;
  return (request, send) => {
    const body = bodyOf(request).replace(/ClientToken=[^&]*/, () => `ClientToken=token-${count++}`);
    return send({ ...request, body });
  };
}

/** The provider learns that it has got nothing, not of what there was none. */
async function withoutRefusals(request: SdkRequest, send: (request: SdkRequest) => Promise<Answer>): Promise<Answer> {
  const answer = await send(request);
  return withBody(answer, textOf(answer).replace(/<errorSet>.*<\/errorSet>/s, '<errorSet/>'));
}

/** Terminates, with each instance, the one that it was told of last. */
function terminatingMore(connection: SdkHandler): SdkHandler {
  const known = new Set<string>();
  return {
    handle: async (request, options) => {
      const { operation, parameters } = awsCallOf(request);
      if (operation === 'TerminateInstances') {
        const ids = [...parameters].filter(([name]) => name.startsWith('InstanceId.')).map(([, id]) => id);
        const other = [...known].findLast((id) => !ids.includes(id));
        const more = other === undefined ? '' : `&InstanceId.${ids.length + 1}=${other}`;
        return connection.handle({ ...request, body: bodyOf(request) + more }, options);
      }
      const answer = await connection.handle(request, options);
      if (operation !== 'DescribeInstances') return answer;
      for (const [, id] of textOf(answer).matchAll(/<instanceId>(.*?)<\/instanceId>/g)) known.add(id!);
      return answer;
    },
  };
}

/** The API server is not told of evictions, and the operator not that it was not. */
function evictingNothing(transport: Transport): Transport {
  return {
    send: async (request, signal) => {
      if (!request.path.endsWith('/eviction')) return transport.send(request, signal);
      const read = { method: 'GET', path: request.path.replace('/eviction', ''), headers: request.headers } as const;
      return transport.send(read, signal);
    },
    close: () => transport.close(),
  };
}

function textOf({ response }: Answer): string {
  return Buffer.from(response.body).toString();
}

function withBody(answer: Answer, body: string): Answer {
  return { ...answer, response: { ...answer.response, body: Buffer.from(body) } };
}
