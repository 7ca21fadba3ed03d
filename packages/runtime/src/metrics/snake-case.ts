/** Writes `AcceleratedHardwareReady` as `accelerated_hardware_ready`, as values of labels are. */
export function snakeCase(name: string): string {
  return name
    .replace(/(.)([A-Z][a-z]+)/g, '$1_$2')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase();
}
