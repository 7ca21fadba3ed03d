/** An AMI alias such as `al2023@latest`: which family of images, and which of its releases. */
export interface AmiAlias {
  readonly family: AmiFamily;
  /** `latest` floats: a new release is drift. */
  readonly version: string;
}

/** The families an alias can name, in the case that `amiFamily` and the drift hash use. */
const ALIAS_FAMILIES = ['AL2', 'AL2023', 'Bottlerocket', 'Windows2019', 'Windows2022', 'Windows2025'] as const;
/** A family of images an alias can name. */
export type AmiFamily = (typeof ALIAS_FAMILIES)[number];

/** What decides the AMI family of an EC2NodeClass. */
export interface AmiFamilySource {
  readonly amiFamily?: string | undefined;
  readonly amiSelectorTerms?: readonly { readonly alias?: string | undefined }[] | undefined;
}

/**
 * The alias among the terms, or `undefined` when none has one of a known family. The first `@` ends the family: a
 * second one passes the CRD and stays in the version, where no release matches it. (Upstream exits the process there.)
 */
export function findAmiAlias({ amiSelectorTerms = [] }: AmiFamilySource): AmiAlias | undefined {
  const alias = amiSelectorTerms.find((term) => term.alias)?.alias;
  if (alias === undefined) return undefined;
  const at = alias.indexOf('@');
  const name = alias.slice(0, Math.max(at, 0));
  const family = ALIAS_FAMILIES.find((known) => known.toLowerCase() === name);
  return family && { family, version: alias.slice(at + 1) };
}

/** `amiFamily` if set, else the family of the alias, else `Custom` (spec 01 §7.2). */
export function resolveAmiFamily(spec: AmiFamilySource): string {
  return spec.amiFamily ?? findAmiAlias(spec)?.family ?? 'Custom';
}
