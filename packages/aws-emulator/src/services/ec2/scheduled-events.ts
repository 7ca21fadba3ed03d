import { HOUR } from '../../clock.ts';
import { maintenanceScheduled } from './events.ts';
import type { MutableInstance, ScheduledEvent } from './instance.ts';
import type { Ec2Region } from './region.ts';

/** What EC2 announces. */
export interface NewScheduledEvent {
  readonly code: ScheduledEvent['code'];
  /** When EC2 does it, in milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter?: number;
  readonly description?: string;
}

/** EC2 tells of an event for a week after its end. */
const TOLD_OF_AFTER_END = 7 * 24 * HOUR;
/** What ends the instance, as its volumes are not kept. */
const TERMINATING: ReadonlySet<ScheduledEvent['code']> = new Set(['instance-retirement', 'instance-stop']);
const RETIRED = {
  code: 'Server.ScheduledStop',
  message: 'Server.ScheduledStop: Stopped due to scheduled retirement',
};

/** Announces an event, has AWS Health send one about it, and carries it out when its time has come. */
export function scheduleEvent(region: Ec2Region, instance: MutableInstance, given: NewScheduledEvent): ScheduledEvent {
  const { deps, place } = region;
  const event: ScheduledEvent = {
    id: `instance-event-0${deps.random.hex(16)}`,
    code: given.code,
    description: given.description ?? 'The instance is running on degraded hardware',
    notBefore: given.notBefore,
    notAfter: given.notAfter ?? given.notBefore,
  };
  instance.events.push(event);
  deps.eventBridge.publish(place, maintenanceScheduled(instance, event));
  deps.timers.after(event.notBefore - region.now(), () => {
    if (!instance.events.includes(event)) return;
    if (TERMINATING.has(event.code)) region.instances.terminate(instance, RETIRED);
    endEvent(region, instance, { id: event.id, how: 'Completed' });
  });
  return event;
}

/** EC2 says in the description that it is over. */
export function endEvent(
  { deps }: Ec2Region,
  { events }: MutableInstance,
  { id, how }: { readonly id: string; readonly how: 'Completed' | 'Canceled' },
): void {
  const index = events.findIndex((event) => event.id === id);
  if (index < 0) throw new RangeError(`there is no event ${id}`);
  const ended: ScheduledEvent = { ...events[index]!, description: `[${how}] ${events[index]!.description}` };
  events[index] = ended;
  deps.timers.after(TOLD_OF_AFTER_END, () => {
    const at = events.indexOf(ended);
    if (at >= 0) events.splice(at, 1);
  });
}
