import { oneOf, option, type Parsed, text } from '@karpenter-ts/runtime';

/** Settings of the KWOK provider. The first is upstream's. */
export const kwokOptions = {
  instanceTypesFilePath: option(
    'instance-types-file-path',
    text,
    '',
    'Path to a file of instance types; replaces the catalogue.',
  ),
  catalogue: option(
    'catalogue',
    oneOf('kwok', 'ec2'),
    'kwok',
    "Built-in instance types: kwok (upstream's 144) or ec2 (those of us-east-1).",
  ),
};

/** The values of all options of the KWOK provider. */
export type KwokOptions = Parsed<typeof kwokOptions>;
