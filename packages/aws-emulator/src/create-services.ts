import { type ArcZonalShiftLevers, createArcZonalShift } from './services/arc-zonal-shift/arc-zonal-shift.ts';
import { Ec2 } from './services/ec2/ec2.ts';
import type { Ec2Levers } from './services/ec2/levers.ts';
import { createEks, type EksLevers } from './services/eks/eks.ts';
import { createIam, type IamLevers } from './services/iam/iam.ts';
import { createPricing, type PricingLevers } from './services/pricing/pricing.ts';
import type { Service, ServiceDeps } from './services/service.ts';
import { createSqs, type SqsLevers } from './services/sqs/sqs.ts';
import { nodeImages, type NodeImageRelease, type PublishedImage } from './services/ssm/node-images.ts';
import { createSsm, type SsmLevers } from './services/ssm/ssm.ts';
import { stsService } from './services/sts/sts.ts';
import type { Place } from './state/place.ts';

/** How tests set what no call of the emulator sets, by service. */
export interface Levers {
  readonly arcZonalShift: ArcZonalShiftLevers;
  /** Of the emulator's own account and region. */
  readonly ec2: Ec2Levers;
  /** Of any other. */
  ec2At(place: Place): Ec2Levers;
  readonly eks: EksLevers;
  readonly iam: IamLevers;
  readonly pricing: PricingLevers;
  readonly sqs: SqsLevers;
  readonly ssm: SsmLevers;
  /**
   * AWS publishes images for the nodes of a Kubernetes version, of all families, and names them in SSM. A later release
   * is what its parameters of the recommended images name from then on.
   */
  publishNodeImages(release: NodeImageRelease): readonly PublishedImage[];
}

interface ServicesOptions {
  readonly instanceTypes?: readonly string[] | undefined;
}

/** All services, which know of nothing yet. */
export function createServices(
  deps: ServiceDeps,
  { instanceTypes }: ServicesOptions,
): { readonly services: readonly Service[]; readonly levers: Levers } {
  const arcZonalShift = createArcZonalShift(deps);
  const eks = createEks(deps);
  const iam = createIam(deps);
  const pricing = createPricing(deps, instanceTypes);
  const sqs = createSqs(deps);
  const ssm = createSsm(deps);
  const isInstanceProfile = (account: string, name: string): boolean =>
    iam.profilesOfEc2.find(account, name) !== undefined;
  const ec2 = new Ec2({ ...deps, isInstanceProfile, findRoleArn: iam.profilesOfEc2.findRoleArn, types: instanceTypes });
  const services = [arcZonalShift, ec2, eks, iam, pricing, sqs, ssm].map(({ service }) => service);
  const ownEc2 = ec2.levers(deps.place);
  return {
    services: [...services, stsService(deps)],
    levers: {
      arcZonalShift: arcZonalShift.levers,
      ec2: ownEc2,
      ec2At: (place) => ec2.levers(place),
      eks: eks.levers,
      iam: iam.levers,
      pricing: pricing.levers,
      sqs: sqs.levers,
      ssm: ssm.levers,
      publishNodeImages: (release) =>
        nodeImages(release).map(({ parameters, ...image }) => {
          const id = ownEc2.addImage(image);
          for (const name of parameters) ssm.levers.put(name, id);
          return { id, name: image.name, parameters };
        }),
    },
  };
}
