// Renders Prometheus' text format 0.0.4 and OpenMetrics 1.0. Samples are the same in both, because the identity of a
// series (`le`, `quantile`) must not depend on what the scraper accepts.
import type { MetricDefinition } from './definition.ts';
import { escapeQuoted } from './labels.ts';

/** `text` is version 0.0.4, which every scraper reads. */
export type TextFormat = 'text' | 'openmetrics';

/** The end mark of an OpenMetrics page, which shows the reader that the page is complete. */
export const OPENMETRICS_END = '# EOF\n';

/** The HELP and TYPE lines above a metric's samples. */
export function familyHeader({ type, name, help }: MetricDefinition, format: TextFormat): string {
  if (format === 'text') {
    return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`;
  }
  // OpenMetrics names a counter without the suffix of its samples. Without the suffix it must not be called a
  // counter.
  const isMisnamed = type === 'counter' && !name.endsWith('_total');
  const family = type === 'counter' ? name.replace(/_total$/, '') : name;
  return `# HELP ${family} ${escapeQuoted(help)}\n# TYPE ${family} ${isMisnamed ? 'unknown' : type}\n`;
}

/** One sample of a series. `labels` come without their braces. */
export function sampleLine(name: string, labels: string, value: number): string {
  return labels === '' ? `${name} ${formatFloat(value)}\n` : `${name}{${labels}} ${formatFloat(value)}\n`;
}

/** Formats a number like Go's `strconv.FormatFloat(value, 'g', -1, 64)`, because `le` labels are compared as text. */
export function formatFloat(value: number): string {
  const size = Math.abs(value);
  if ((size >= 1e-4 && size < 1e6) || value === 0) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  if (size === Infinity) return value > 0 ? '+Inf' : '-Inf';
  const [mantissa, exponent] = value.toExponential().split('e') as [string, string];
  return `${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
}
