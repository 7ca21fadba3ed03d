import { type Infer, integer, object, required, string } from '../../schema/schema.ts';
import { conditions } from '../condition.ts';
import { overlayRequirements } from './node-claim-spec.ts';
import type { KubernetesObject } from '@karpenter-ts/kubernetes';
import { AGE_COLUMN, READY_COLUMN, type Resource } from '../../schema/resource.ts';
import { resourceList } from '../resource-list.ts';
import { type Flavour, nodeOverlayKeyRules } from '../restricted-labels.ts';

const spec = (flavour: Flavour) =>
  object(
    'A correction to what the provider says of some instance types.',
    {
      capacity: resourceList('Extra resources the instance types have.', [
        {
          message: 'invalid resource restricted',
          rule: "self.all(x, !(x in ['cpu', 'memory', 'ephemeral-storage', 'pods']))",
        },
      ]),
      price: string('The price to reckon with, per hour.', { pattern: '^\\d+(\\.\\d+)?$' }),
      priceAdjustment: string('A signed amount or percentage to add to the price.', {
        pattern: '^(([+-]{1}(\\d*\\.?\\d+))|(\\+{1}\\d*\\.?\\d+%)|(^(-\\d{1,2}(\\.\\d+)?%)$)|(-100%))$',
      }),
      requirements: required(overlayRequirements(nodeOverlayKeyRules(flavour))),
      weight: integer('Of overlays that meet, the heaviest wins; without it, 0.', {
        format: 'int32',
        minimum: 1,
        maximum: 10000,
      }),
    },
    [
      {
        message: "cannot set both 'price' and 'priceAdjustment'",
        rule: '!has(self.price) || !has(self.priceAdjustment)',
      },
    ],
  );

const body = (flavour: Flavour) =>
  object('Alpha. Changes price or capacity of instance types, as the planner sees them.', {
    spec: required(spec(flavour)),
    status: object('Whether the overlay is in force.', { conditions }),
  });

export type NodeOverlay = KubernetesObject<'karpenter.sh/v1alpha1', 'NodeOverlay', Infer<ReturnType<typeof body>>>;

export const nodeOverlayResource = (flavour: Flavour): Resource => ({
  group: 'karpenter.sh',
  version: 'v1alpha1',
  kind: 'NodeOverlay',
  plural: 'nodeoverlays',
  shortNames: ['overlays'],
  categories: ['karpenter'],
  scope: 'Cluster',
  columns: [READY_COLUMN, AGE_COLUMN, { name: 'Weight', type: 'integer', jsonPath: '.spec.weight', wide: true }],
  schema: body(flavour),
});
