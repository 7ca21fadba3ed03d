import { HOUR } from '../../clock.ts';
import { rebalanceRecommended, reservationInterruptionWarning, spotInterruptionWarning } from './events.ts';
import { isAlive, type MutableInstance } from './instance.ts';
import type { Ec2Region } from './region.ts';

const SPOT_RECLAIMED = {
  code: 'Server.SpotInstanceTermination',
  message: 'Server.SpotInstanceTermination: Instance reclaimed',
};
const RESERVATION_RECLAIMED = {
  code: 'Server.CapacityReservationInterruption',
  message: 'Server.CapacityReservationInterruption: Instance reclaimed',
};

/** EC2 says that it may soon want the instance back. */
export function recommendRebalance({ deps, place }: Ec2Region, instance: MutableInstance): void {
  deps.eventBridge.publish(place, rebalanceRecommended(instance));
}

/** EC2 wants the instance back: it warns, and terminates it two minutes later. */
export function interrupt(region: Ec2Region, instance: MutableInstance): void {
  if (!isAlive(instance)) return;
  const isSpot = instance.lifecycle === 'spot';
  const warning = isSpot ? spotInterruptionWarning(instance) : reservationInterruptionWarning(instance);
  region.deps.eventBridge.publish(region.place, warning);
  const reason = isSpot ? SPOT_RECLAIMED : RESERVATION_RECLAIMED;
  region.deps.timers.after(region.timing.warning, () => region.instances.terminate(instance, reason));
}

/** Where spot instances are interrupted at random, at a time by seed; each moment is as likely as any other. Returns how to end that. */
export function scheduleSpotInterruption(region: Ec2Region, instance: MutableInstance): () => void {
  const rate = region.spotInterruptionsPerHour;
  if (rate === 0 || instance.lifecycle !== 'spot') return () => undefined;
  const delay = (-Math.log(1 - region.deps.random.next()) / rate) * HOUR;
  return region.deps.timers.after(delay, () => {
    recommendRebalance(region, instance);
    interrupt(region, instance);
  });
}
