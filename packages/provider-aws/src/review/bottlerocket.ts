import { findNearMiss } from '@karpenter-ts/apis';
import { parse, TomlError } from 'smol-toml';
import {
  KNOWN_KUBERNETES_KEYS,
  readBootstrapCommands,
  readKubernetesSettings,
  table,
  type TomlTable,
  unknownKubernetesKeys,
} from '../user-data/bottlerocket-settings.ts';
import { reviewPlaceholders } from './placeholders.ts';
import { doubtful, type TextRemark, wrong } from './remark.ts';

/** Karpenter writes these, whatever the user has written. */
const OVERWRITTEN: Readonly<Record<string, string>> = {
  'cluster-name': 'the flag --cluster-name of the controller',
  'api-server': 'the flag --cluster-endpoint of the controller',
  'cluster-certificate': 'the flag --cluster-ca-bundle of the controller',
  'max-pods': 'spec.kubelet.maxPods',
  'node-taints': 'the taints of the NodePool',
};

/** Settings of Bottlerocket, which are TOML. */
export function reviewBottlerocket(text: string): readonly TextRemark[] {
  let document: TomlTable;
  try {
    document = parse(text, { integersAsBigInt: true });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return [notToml(text, error)];
  }
  const name = Object.keys(document).find((key) => key.toLowerCase() === 'settings');
  const others = Object.keys(document).filter((key) => key !== name);
  const dropped = others.map((key) =>
    doubtful(`Karpenter drops ${key}: only the table settings reaches the instance`, { textLine: lineOf(text, key) }),
  );
  return [...dropped, ...reviewSettings(name && document[name], text), ...reviewPlaceholders(text)];
}

function notToml(text: string, { message, line, column }: TomlError): TextRemark {
  const [reason = ''] = message.split('\n', 1);
  const isScript = /^\s*(?:#!|MIME-Version:|Content-Type:)/.test(text);
  return wrong(`not TOML: ${reason} (column ${column})`, {
    ...(isScript && { hint: 'Bottlerocket takes its settings in TOML, no scripts and no MIME archives' }),
    textLine: line,
  });
}

function reviewSettings(settings: unknown, text: string): readonly TextRemark[] {
  if (settings === undefined) return [];
  try {
    const { kubernetes = {}, 'bootstrap-commands': commands } = table(settings, 'settings');
    readKubernetesSettings(kubernetes);
    if (commands !== undefined) readBootstrapCommands(commands);
    return reviewKubernetes(table(kubernetes, 'settings.kubernetes'), text);
  } catch (error) {
    const { message } = error as Error;
    const key = /^toml: (\S+)/.exec(message)?.[1]?.split('.').at(-1) ?? '';
    return [wrong(message, { textLine: lineOf(text, key) })];
  }
}

function reviewKubernetes(kubernetes: TomlTable, text: string): readonly TextRemark[] {
  const unknown = unknownKubernetesKeys(kubernetes).map((key) => {
    const meant = findNearMiss(key, KNOWN_KUBERNETES_KEYS);
    const hint = meant === undefined ? {} : { hint: `did you mean ${meant}?` };
    return doubtful(`Karpenter does not know settings.kubernetes.${key} and drops it`, {
      ...hint,
      textLine: lineOf(text, key),
    });
  });
  const overwritten = Object.keys(kubernetes).flatMap((key) => {
    const instead = OVERWRITTEN[key];
    if (instead === undefined) return [];
    const hint = `use ${instead}`;
    return [doubtful(`Karpenter overwrites settings.kubernetes.${key}`, { hint, textLine: lineOf(text, key) })];
  });
  return [...unknown, ...overwritten];
}

/** The first line that sets the key or is the header of its table; the first of all if none does. */
function lineOf(text: string, key: string): number {
  const name = key.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const sets = new RegExp(String.raw`^\s*(?:\[[^\]]*)?(?:\S*\.)?["']?${name}["']?\s*[\].=]`);
  return (
    Math.max(
      text.split('\n').findIndex((line) => sets.test(line)),
      0,
    ) + 1
  );
}
