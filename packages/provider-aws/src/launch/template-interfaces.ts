import type {
  ConnectionTrackingSpecificationRequest,
  LaunchTemplateInstanceNetworkInterfaceSpecificationRequest,
} from '@aws-sdk/client-ec2';
import { isIPv6 } from './template-groups.ts';
import type { TemplateSpec } from './template-spec.ts';

type NetworkInterface = LaunchTemplateInstanceNetworkInterfaceSpecificationRequest;

/** The network interfaces of an instance (spec 07 §14.4). Security groups are given here, and nowhere else. */
export function templateInterfaces(spec: TemplateSpec): NetworkInterface[] {
  const Groups = [...spec.securityGroupIds];
  const addresses = addressing(spec);
  if (spec.networkInterfaces?.length) {
    return spec.networkInterfaces.map(({ networkCardIndex, deviceIndex, interfaceType }) => ({
      NetworkCardIndex: networkCardIndex,
      DeviceIndex: deviceIndex,
      InterfaceType: interfaceType,
      Groups,
      // An interface for EFA alone has no addresses, and EC2 refuses to be told anything about them.
      ...(interfaceType !== 'efa-only' && addresses),
    }));
  }
  if (spec.efaCount > 0) {
    return Array.from({ length: spec.efaCount }, (_, card) => ({
      NetworkCardIndex: card,
      DeviceIndex: card === 0 ? 0 : 1, // the first is the instance's primary interface
      InterfaceType: 'efa',
      Groups,
      ...addresses,
    }));
  }
  return [{ DeviceIndex: 0, Groups, ...addresses }];
}

/** What is said of the addresses of an interface. What is not set is left to the subnet. */
function addressing(spec: TemplateSpec): NetworkInterface {
  const { ipPrefixCount, associatePublicIPAddress } = spec;
  return {
    ...(associatePublicIPAddress !== undefined && { AssociatePublicIpAddress: associatePublicIPAddress }),
    ...(isIPv6(spec.userData.cluster)
      ? {
          PrimaryIpv6: true,
          Ipv6AddressCount: 1,
          ...(ipPrefixCount !== undefined && { Ipv6PrefixCount: ipPrefixCount }),
        }
      : ipPrefixCount !== undefined && { Ipv4PrefixCount: ipPrefixCount }),
    ...connectionTracking(spec.connectionTracking),
  };
}

function connectionTracking(timeouts: TemplateSpec['connectionTracking']): NetworkInterface {
  const { tcpEstablishedTimeout, udpStreamTimeout, udpTimeout } = timeouts ?? {};
  const specification: ConnectionTrackingSpecificationRequest = {
    ...(tcpEstablishedTimeout !== undefined && { TcpEstablishedTimeout: tcpEstablishedTimeout }),
    ...(udpStreamTimeout !== undefined && { UdpStreamTimeout: udpStreamTimeout }),
    ...(udpTimeout !== undefined && { UdpTimeout: udpTimeout }),
  };
  return Object.keys(specification).length === 0 ? {} : { ConnectionTrackingSpecification: specification };
}
