// The names that random fleets are made of.
import type { Taint } from '@karpenter-ts/apis';

export const ZONES = ['zone-a', 'zone-b', 'zone-c'] as const;

/** A well-known label with a number in it. */
export const CPU_LABEL = 'example.com/cpu';
/** A label some pools and nodes have, of which providers know nothing. */
export const RACK_LABEL = 'example.com/rack';
export const RACKS = ['r1', 'r2'] as const;
export const TIERS = ['web', 'batch'] as const;
export const RESERVATION_LABEL = 'example.com/reservation';

export const GPU = 'example.com/gpu';
export const DRIVER = 'disk.csi.example.com';
export const STORAGE_CLASS = 'disk';

export const TIER_TAINT: Taint = { key: 'tier', value: 'batch', effect: 'NoSchedule' };
export const SPARE_TAINT: Taint = { key: 'spare', effect: 'PreferNoSchedule' };
export const RANKED_TAINT: Taint = { key: 'rank', value: '5', effect: 'NoExecute' };
export const STARTUP_TAINT: Taint = { key: 'starting', effect: 'NoSchedule' };
