/** How long ago an instant was, as kubectl shows it; `<unknown>` when there is none. */
export function ageOf(timestamp: string | null | undefined, now: number): string {
  return timestamp ? formatHumanDuration(now - Date.parse(timestamp)) : '<unknown>';
}

/** Milliseconds in two or three significant figures: `90s`, `5m30s`, `3h`, `2d4h`, `400d`. */
export function formatHumanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return '<invalid>'; // clocks may differ by a second
  if (seconds < 2 * 60) return `${Math.max(seconds, 0)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return twoUnits(minutes, 'm', seconds % 60, 's');
  if (minutes < 3 * 60) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return twoUnits(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return twoUnits(days, 'd', hours % 24, 'h');
  if (days < 2 * 365) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? twoUnits(years, 'y', days % 365, 'd') : `${years}y`;
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return `${large}${largeUnit}${small === 0 ? '' : `${small}${smallUnit}`}`;
}
