import { JsonMembers } from './json-members.ts';
import type { InterruptionKind } from './interruption.ts';

/** What a message of the queue says. */
export interface InterruptionMessage {
  /** `no_op` is for others, or about something that concerns no Node. */
  readonly kind: InterruptionKind | 'no_op';
  readonly instanceIds: readonly string[];
  /** When it happened, as the message has it; undefined if it does not say, or if it was declined. */
  readonly startTime: string | undefined;
}

/** What remains of a message that is not for us. */
const DECLINED: InterruptionMessage = { kind: 'no_op', instanceIds: [], startTime: undefined };

/** Reads a message of EventBridge (spec 08 §18). Throws, with upstream's words in front, if it cannot be read. */
export function parseMessage(body: string): InterruptionMessage {
  if (body === '') return DECLINED;
  const message = readEnvelope(body);
  const event = EVENTS.find(({ source, detailType }) => source === message.source && detailType === message.detailType);
  const { startTime } = message;
  if (message.version !== VERSION || event === undefined) return { ...DECLINED, startTime };
  const facts = readDetail(message, event);
  return facts === undefined ? DECLINED : { ...facts, startTime };
}

/** The version of all events that are known. */
const VERSION = '0';

interface Envelope {
  readonly version: string | undefined;
  readonly source: string | undefined;
  readonly detailType: string | undefined;
  readonly startTime: string | undefined;
  readonly members: JsonMembers;
}

function readEnvelope(body: string): Envelope {
  try {
    const members = new JsonMembers(JSON.parse(body));
    for (const name of ['account', 'id', 'region']) members.text(name);
    members.texts('resources');
    return {
      version: members.text('version'),
      source: members.text('source'),
      detailType: members.text('detail-type'),
      startTime: readTime(members.text('time')),
      members,
    };
  } catch (cause) {
    throw new Error(`unmarshalling the message as Metadata, ${(cause as Error).message}`, { cause });
  }
}

/** RFC 3339 as Go reads it, which is not as strict as the standard: an hour may have one digit, a fraction a comma. */
const RFC_3339 = /^(\d{4}-\d\d-\d\d)T(\d|[01]\d|2[0-3]):[0-5]\d:[0-5]\d([.,]\d+)?(Z|[+-]([01]\d|2[0-4]):([0-5]\d|60))$/;

function readTime(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const date = RFC_3339.exec(text)?.[1];
  const isDate = date !== undefined && new Date(`${date}T00:00:00Z`).getUTCDate() === Number(date.slice(-2));
  if (!isDate) throw new TypeError(`time is not a time: ${JSON.stringify(text)}`);
  return text;
}

type Facts = Pick<InterruptionMessage, 'kind' | 'instanceIds'>;

/** A kind of event. */
interface EventType {
  readonly source: string;
  readonly detailType: string;
  /** What errors call it. */
  readonly name: string;
  /** What the detail says; undefined declines it. */
  read(detail: JsonMembers): Facts | undefined;
}

/** Upstream misspells it. */
const UNREADABLE = 'parsing event message, unmarhsalling the message as';

function readDetail({ members }: Envelope, { name, read }: EventType): Facts | undefined {
  try {
    return read(members.object('detail'));
  } catch (cause) {
    throw new Error(`${UNREADABLE} ${name}, ${(cause as Error).message}`, { cause });
  }
}

/** An event of EC2 that names one instance, and has these other texts. */
function instanceEvent(
  kind: InterruptionKind,
  { detailType, name, texts }: Pick<EventType, 'detailType' | 'name'> & { readonly texts: readonly string[] },
): EventType {
  const read = (detail: JsonMembers): Facts => {
    for (const text of texts) detail.text(text);
    return { kind, instanceIds: [detail.text('instance-id') ?? ''] };
  };
  return { source: 'aws.ec2', detailType, name, read };
}

const ENDING_STATES: ReadonlySet<string> = new Set(['stopping', 'stopped', 'shutting-down', 'terminated']);

function readStateChange(detail: JsonMembers): Facts | undefined {
  const instanceIds = [detail.text('instance-id') ?? ''];
  const state = detail.text('state') ?? '';
  if (!ENDING_STATES.has(state.toLowerCase())) return undefined;
  // Upstream looks for these in lower case alone, and dashboards count by the kind.
  const isStopped = state === 'stopping' || state === 'stopped';
  return { kind: isStopped ? 'instance_stopped' : 'instance_terminated', instanceIds };
}

const HEALTH_TEXTS = ['eventArn', 'eventTypeCode', 'startTime', 'endTime'];

function readHealthEvent(detail: JsonMembers): Facts | undefined {
  for (const name of HEALTH_TEXTS) detail.text(name);
  for (const description of detail.objects('eventDescription')) {
    description.text('language');
    description.text('latestDescription');
  }
  const instanceIds = detail.objects('affectedEntities').map((entity) => entity.text('entityValue') ?? '');
  const [service, category] = [detail.text('service'), detail.text('eventTypeCategory')];
  return service === 'EC2' && category === 'scheduledChange' ? { kind: 'scheduled_change', instanceIds } : undefined;
}

const EVENTS: readonly EventType[] = [
  instanceEvent('spot_interrupted', {
    detailType: 'EC2 Spot Instance Interruption Warning',
    name: 'EC2SpotInstanceInterruptionWarning',
    texts: ['instance-action'],
  }),
  instanceEvent('capacity_reservation_interrupted', {
    detailType: 'EC2 Capacity Reservation Instance Interruption Warning',
    name: 'EC2CapacityReservationInterruptionWarning',
    texts: ['instance-action'],
  }),
  instanceEvent('rebalance_recommendation', {
    detailType: 'EC2 Instance Rebalance Recommendation',
    name: 'EC2InstanceRebalanceRecommendation',
    texts: [],
  }),
  {
    source: 'aws.ec2',
    detailType: 'EC2 Instance State-change Notification',
    name: 'EC2InstanceStateChangeNotification',
    read: readStateChange,
  },
  { source: 'aws.health', detailType: 'AWS Health Event', name: 'AWSHealthEvent', read: readHealthEvent },
];
