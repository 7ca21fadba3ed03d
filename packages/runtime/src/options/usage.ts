import type { OptionRows } from './option.ts';

/** The usage text in the form of Go's flag package: all options with variable and default, sorted by flag. */
export function usageText(rows: OptionRows): string {
  const options = Object.values(rows).sort((a, b) => (a.flag < b.flag ? -1 : 1));
  const entries = options.map(({ flag, variable, type, fallback, help }) => {
    const placeholder = type.placeholder === '' ? '' : ` ${type.placeholder}`;
    return `  -${flag}${placeholder}\n    \t${help} (default ${type.show(fallback)}, variable ${variable})\n`;
  });
  return `Usage of karpenter:\n${entries.join('')}`;
}
