import type { RunInstancesCommandInput } from '@aws-sdk/client-ec2';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import type { FleetRequest } from '../batching/create-fleet.ts';
import { fleetRequest } from '../launch/fleet-request.ts';
import { ec2Tags, type Tags } from '../launch/launch-tags.ts';
import type { LaunchTerms } from '../launch/launch-terms.ts';
import type { StatusSubnet } from '../network/subnet-address-book.ts';

/** The launch that the dry runs are about. */
export interface Probe {
  readonly nodeClass: EC2NodeClass;
  /** Its name. */
  readonly template: string;
  readonly instanceType: string;
  readonly terms: LaunchTerms;
  readonly tags: Tags;
}

type DryRun<Request> = Request & { readonly DryRun: true };
type InstanceTypeName = RunInstancesCommandInput['InstanceType'];

/** An on-demand instance in any of the subnets. */
export function fleetDryRun({ nodeClass, template, instanceType, terms, tags }: Probe): DryRun<FleetRequest> {
  const subnets = nodeClass.status?.subnets ?? [];
  const Overrides = subnets.map(({ id }) => ({ InstanceType: instanceType as InstanceTypeName, SubnetId: id }));
  const configs = [{ LaunchTemplateSpecification: templateOf(template), Overrides }];
  const nobody = { nodeClass: {}, nodeClaim: { metadata: { name: '' } } };
  return { ...fleetRequest({ configs, terms, tags, ...nobody }), DryRun: true };
}

/** An instance in this subnet. */
export function instanceDryRun(
  { nodeClass, template, instanceType, tags }: Probe,
  subnet: Pick<StatusSubnet, 'id'>,
): DryRun<RunInstancesCommandInput> {
  return {
    DryRun: true,
    MinCount: 1,
    MaxCount: 1,
    LaunchTemplate: templateOf(template),
    InstanceType: instanceType as InstanceTypeName,
    NetworkInterfaces: interfacesIn(subnet.id, nodeClass),
    TagSpecifications: (['instance', 'volume', 'network-interface'] as const).map((ResourceType) => ({
      ResourceType,
      Tags: ec2Tags(tags),
    })),
  };
}

/** What else is to be said of the interfaces is in the launch template. */
function interfacesIn(SubnetId: string, { spec }: EC2NodeClass): RunInstancesCommandInput['NetworkInterfaces'] {
  const configured = spec?.networkInterfaces ?? [];
  if (configured.length === 0) return [{ DeviceIndex: 0, SubnetId }];
  return configured.map(({ networkCardIndex, deviceIndex, interfaceType }) => ({
    NetworkCardIndex: networkCardIndex,
    DeviceIndex: deviceIndex,
    InterfaceType: interfaceType,
    SubnetId,
  }));
}

function templateOf(name: string) {
  return { LaunchTemplateName: name, Version: '$Latest' };
}
