import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import type { RequirementSpec } from '@karpenter-ts/apis';
import type { ResourceList } from '@karpenter-ts/kubernetes';
import type { Overhead } from '@karpenter-ts/scheduling';
import { RequirementPool } from './requirement-pool.ts';
import { ownLabels, settingLabels } from './type-labels.ts';
import { capacityOf, overheadOf } from './type-resources.ts';
import type { TypeSettings } from './type-settings.ts';

/** What EC2 says of a type: its description, and the zones that offer it. */
export interface TypeFacts {
  readonly info: InstanceTypeInfo;
  readonly zones: ReadonlySet<string>;
}

/** An instance type as planning sees it, without its offerings. */
export interface TypeDescription {
  readonly name: string;
  readonly requirements: readonly RequirementSpec[];
  readonly capacity: ResourceList;
  readonly overhead: Overhead;
}

/** What a node of this type will look like under these settings (spec 07 §§4-6). Depends on nothing else. */
export function describeType(facts: TypeFacts, settings: TypeSettings): TypeDescription {
  return new TypeDescriber().describe(facts, settings);
}

/**
 * Describes the types of one catalogue. Equal labels are one object, and those that follow from EC2's description alone
 * are made once for all NodeClasses.
 */
export class TypeDescriber {
  readonly #pool = new RequirementPool();
  readonly #ownLabels = new Map<InstanceTypeInfo, readonly RequirementSpec[]>();

  describe(facts: TypeFacts, settings: TypeSettings): TypeDescription {
    const { info } = facts;
    return {
      name: info.InstanceType!,
      requirements: [...this.#labelsOf(info), ...settingLabels(facts, settings, this.#pool)],
      capacity: capacityOf(info, settings),
      overhead: overheadOf(info, settings),
    };
  }

  #labelsOf(info: InstanceTypeInfo): readonly RequirementSpec[] {
    let labels = this.#ownLabels.get(info);
    if (labels === undefined) {
      labels = ownLabels(info, this.#pool);
      this.#ownLabels.set(info, labels);
    }
    return labels;
  }
}
