import { DurationError, findQuantity, goQuote, parseDuration } from '@karpenter-ts/kubernetes';
import { error, type Problem, warning } from './problem.ts';

type Settings = Readonly<Record<string, string>>;

/** What is checked of `spec.kubelet`. */
export interface ValidatedKubelet {
  readonly systemReserved?: Settings | undefined;
  readonly kubeReserved?: Settings | undefined;
  readonly evictionHard?: Settings | undefined;
  readonly evictionSoft?: Settings | undefined;
  readonly evictionSoftGracePeriod?: Settings | undefined;
}

/**
 * Problems of kubelet settings that the CRD lets pass: what is no quantity (`1e1.5`) or no duration, at which upstream
 * panics or cannot read the object, and empty thresholds, which count as unset (spec 01 §14, 29).
 */
export function validateKubelet(kubelet: ValidatedKubelet): readonly Problem[] {
  const { systemReserved = {}, kubeReserved = {}, evictionHard = {}, evictionSoft = {} } = kubelet;
  return [
    ...findInvalid({ systemReserved, kubeReserved }, isQuantity, 'a resource quantity'),
    ...findInvalid({ evictionHard, evictionSoft }, isThreshold, 'a percentage or a resource quantity'),
    ...findInvalid({ evictionSoftGracePeriod: kubelet.evictionSoftGracePeriod ?? {} }, isDuration, 'a duration'),
    ...findEmpty({ evictionHard, evictionSoft }),
  ];
}

type Fields = Readonly<Record<string, Settings>>;

function findInvalid(fields: Fields, isValid: (text: string) => boolean, wanted: string): readonly Problem[] {
  return settingsOf(fields)
    .filter(({ text }) => !isValid(text))
    .map(({ path, text }) => error(path, `${path}: ${goQuote(text)} must be ${wanted}`));
}

function findEmpty(fields: Fields): readonly Problem[] {
  return settingsOf(fields)
    .filter(({ text }) => text === '')
    .map(({ path }) => warning(path, `${path}: an empty threshold counts as unset`));
}

function settingsOf(fields: Fields): readonly { readonly path: string; readonly text: string }[] {
  return Object.entries(fields).flatMap(([field, settings]) =>
    Object.entries(settings).map(([key, text]) => ({ path: `spec.kubelet.${field}[${key}]`, text })),
  );
}

function isQuantity(text: string): boolean {
  return findQuantity(text) !== undefined;
}

function isThreshold(text: string): boolean {
  return text === '' || text.endsWith('%') || isQuantity(text);
}

function isDuration(text: string): boolean {
  try {
    parseDuration(text);
    return true;
  } catch (failure) {
    if (failure instanceof DurationError) return false;
    throw failure;
  }
}
