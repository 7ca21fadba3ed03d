import { type EC2NodeClass, findAmiAlias, resolveAmiFamily } from '@karpenter-ts/apis';
import type { Remark } from '@karpenter-ts/apis/manifests';
import { aliasParameters, UnsupportedAliasError } from '../images/alias-parameters.ts';
import type { NodeClassSpec } from '../node-class/node-class-parts.ts';
import { findPlaceholder, LITERAL, placeholderText } from './placeholders.ts';
import { reviewUserData } from './user-data.ts';

export interface ReviewOptions {
  /** Of the cluster, such as `1.35`. */
  readonly kubernetesVersion?: string | undefined;
}

/**
 * What is wrong with a NodeClass that its API admits, or hardly meant, without asking AWS or the cluster. Errors are what
 * cannot work.
 */
export function reviewNodeClass({ spec }: Pick<EC2NodeClass, 'spec'>, options: ReviewOptions = {}): readonly Remark[] {
  if (spec === undefined) return [];
  const { userData } = spec;
  const ofUserData = userData === undefined ? [] : reviewUserData(userData, resolveAmiFamily(spec));
  return [
    ...reviewIdentity(spec),
    ...reviewAlias(spec, options),
    ...reviewTerms(spec),
    ...reviewTexts(spec),
    ...ofUserData.map((remark) => ({ ...remark, field: 'spec.userData' })),
  ];
}

/** What IAM takes for the name of a role or an instance profile. */
const IAM_NAME = /^[\w+=,.@-]+$/;

function reviewIdentity({ role = '', instanceProfile = '' }: NodeClassSpec): readonly Remark[] {
  return [
    ...reviewName('role', 'a role', role),
    ...reviewName('instanceProfile', 'an instance profile', instanceProfile),
  ];
}

function reviewName(field: 'role' | 'instanceProfile', what: string, value: string): readonly Remark[] {
  const at = `spec.${field}`;
  const name = value.split('/').at(-1)!;
  const placeholder = findPlaceholder(value);
  if (placeholder !== undefined) {
    return [{ field: at, severity: 'error', message: placeholderText(placeholder), hint: LITERAL }];
  }
  const hint = `did you mean ${name}?`;
  if (value.startsWith('arn:')) {
    const message = `the ARN of ${what}, where its name is meant`;
    return [{ field: at, severity: field === 'role' ? 'warning' : 'error', message, hint }];
  }
  if (field === 'instanceProfile' && value.includes('/')) {
    return [{ field: at, severity: 'error', message: `the path of ${what}, where its name is meant`, hint }];
  }
  if (value === '' || IAM_NAME.test(name)) return [];
  const message = `${JSON.stringify(value)} is no name of ${what}: IAM takes letters, digits and +=,.@_-`;
  return [{ field: at, severity: 'error', message }];
}

/** Families whose images are not for every version of Kubernetes, and for which they are. */
const BOUND_TO_VERSIONS = {
  AL2: { of: 'up to 1.32', hint: 'use al2023, or tell the version with --kubernetes-version' },
  Windows2025: { of: 'from 1.35 on', hint: 'tell the version with --kubernetes-version' },
} as const;

function reviewAlias(spec: NodeClassSpec, { kubernetesVersion }: ReviewOptions): readonly Remark[] {
  const alias = findAmiAlias(spec);
  if (alias === undefined || alias.version.includes('@')) return []; // the latter is refused elsewhere
  const field = `spec.amiSelectorTerms[${spec.amiSelectorTerms.findIndex((term) => term.alias)}].alias`;
  if (kubernetesVersion === undefined) {
    const { family } = alias;
    if (family !== 'AL2' && family !== 'Windows2025') return [];
    const { of, hint } = BOUND_TO_VERSIONS[family];
    return [{ field, severity: 'warning', message: `this alias has images for Kubernetes ${of} only`, hint }];
  }
  try {
    aliasParameters(alias, kubernetesVersion);
    return [];
  } catch (error) {
    if (!(error instanceof UnsupportedAliasError)) throw error;
    const hint = alias.family === 'AL2' ? { hint: 'did you mean al2023@latest?' } : {};
    return [{ field, severity: 'error', message: error.message, ...hint }];
  }
}

/** What the CRD does not see: a parameter beside an id or an alias. Other mixtures are found by the checks of the API. */
function reviewTerms({ amiSelectorTerms }: NodeClassSpec): readonly Remark[] {
  return amiSelectorTerms.flatMap((term, index) => {
    const { alias, id, ssmParameter, name, owner, tags } = term;
    const field = `spec.amiSelectorTerms[${index}]`;
    const first = alias ? 'alias' : id ? 'id' : ssmParameter ? 'ssmParameter' : undefined;
    const others = Object.entries({ id, ssmParameter, name, owner, tags }).flatMap(([key, value]) =>
      key !== first && value !== undefined ? [key] : [],
    );
    if (first === undefined || others.length === 0) return [];
    const message = `beside ${first}, ${others.join(', ')} select${others.length === 1 ? 's' : ''} nothing`;
    return [
      { field: `${field}.${others[0]!}`, severity: 'warning' as const, message, hint: 'make it a term of its own' },
    ];
  });
}

/** All texts that AWS gets as they are written. */
function reviewTexts(spec: NodeClassSpec): readonly Remark[] {
  const { subnetSelectorTerms, securityGroupSelectorTerms, amiSelectorTerms, capacityReservationSelectorTerms } = spec;
  const { placementGroupSelector, tags, context, blockDeviceMappings } = spec;
  const texts = {
    subnetSelectorTerms,
    securityGroupSelectorTerms,
    amiSelectorTerms,
    capacityReservationSelectorTerms,
    placementGroupSelector,
    tags,
    context,
    blockDeviceMappings,
  };
  return reviewValue(texts, 'spec');
}

function reviewValue(value: unknown, field: string): readonly Remark[] {
  if (typeof value === 'string') return reviewText(value, field);
  if (Array.isArray(value)) return value.flatMap((item, index) => reviewValue(item, `${field}[${index}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    // Keys with dots are no part of a path: the position is that of the map.
    const below = /[.[\]]/.test(key) || findPlaceholder(key) !== undefined ? field : `${field}.${key}`;
    return [...reviewText(key, field), ...reviewValue(member, below)];
  });
}

function reviewText(text: string, field: string): readonly Remark[] {
  const placeholder = findPlaceholder(text);
  if (placeholder === undefined) return [];
  return [{ field, severity: 'warning', message: placeholderText(placeholder), hint: LITERAL }];
}
