import type { Ec2Instance } from '../services/ec2/instance.ts';
import type { Ec2Levers } from '../services/ec2/levers.ts';
import type { Place } from '../state/place.ts';
import type { BootingInstance } from './booting-instance.ts';
import { type BootDeps, InstanceBoots } from './instance-boots.ts';

/** Boots every instance of EC2 that runs from now on, in any account and region. */
export function bootInstances(ec2At: (place: Place) => Ec2Levers, own: Place, deps: BootDeps): InstanceBoots {
  const boots = new InstanceBoots(deps);
  ec2At(own).onInstance((instance) => {
    if (instance.state === 'running') boots.start(bootingInstanceOf(instance, ec2At(instance.place)));
    if (instance.state === 'shutting-down') boots.shutDown(instance.id);
    if (instance.state === 'terminated') boots.terminate(instance.id);
  });
  return boots;
}

function bootingInstanceOf(instance: Ec2Instance, ec2: Ec2Levers): BootingInstance {
  const { id, instanceType, imageId, architecture, zone, place, privateDnsName, networkInterfaces } = instance;
  const image = ec2.findImage(imageId);
  const type = ec2.findType(instanceType);
  if (image === undefined || type === undefined) throw new Error(`${id} runs without its image or its type`);
  return {
    id,
    type,
    imageName: image.name,
    architecture,
    privateIp: networkInterfaces[0]?.addresses[0] ?? '',
    privateDnsName,
    region: place.region,
    zone: zone.name,
    zoneId: zone.id,
    userData: instance.userData,
    volumes: volumesOf(instance, image.rootDevice),
    rootDeviceName: image.rootDevice.name,
    efaInterfaces: networkInterfaces.filter((each) => each.type !== 'interface').length,
  };
}

/** The image's root device and what the launch makes of it, and the launch's other volumes. */
function volumesOf(
  { spec }: Ec2Instance,
  rootDevice: { readonly name: string; readonly sizeGib: number },
): BootingInstance['volumes'] {
  const sizes = new Map([[rootDevice.name, rootDevice.sizeGib]]);
  for (const { DeviceName, Ebs } of spec.BlockDeviceMappings ?? []) {
    if (DeviceName !== undefined && Ebs?.VolumeSize !== undefined) sizes.set(DeviceName, Ebs.VolumeSize);
  }
  return [...sizes].map(([deviceName, sizeGiB]) => ({ deviceName, sizeGiB }));
}
