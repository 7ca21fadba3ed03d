/**
 * Measures the longest time for which the event loop is held, as CPU time of the main thread, so that other processes of
 * the host do not count.
 */
export function watchEventLoop(): { readonly stop: () => number } {
  let longest = 0;
  let before = process.threadCpuUsage();
  let isWatching = true;
  const turn = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
    if (isWatching) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    stop: () => {
      isWatching = false;
      return longest;
    },
  };
}
