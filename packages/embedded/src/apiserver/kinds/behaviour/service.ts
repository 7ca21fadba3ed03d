import { invalidValue, type Problem } from '../../field-errors.ts';
import { type KubeObject, objectAt, textAt } from '../../object.ts';
import type { ObjectLookup } from '../../strategy.ts';
import { serviceNameProblems } from '../metadata.ts';
import type { KindRules } from './kind-rules.ts';

/** A service gets an address of the cluster's range; nothing answers there. */
export const SERVICE: KindRules = {
  traits: { createsOnUpdate: true, returnsDeleted: true },
  nameProblems: serviceNameProblems,
  selectable: ['spec.clusterIP', 'spec.type'],
  admit: (service, old, lookup) => (old ? withAddressOf(service, old) : withAddress(service, lookup)),
  validateUpdate: addressProblems,
};

const NONE = 'None';

function withAddress(service: KubeObject, lookup: ObjectLookup): KubeObject {
  const spec = objectAt(service, 'spec');
  if (spec['type'] === 'ExternalName') return service;
  const sent = textAt(spec, 'clusterIP');
  const clusterIP = sent === '' ? freeAddress(lookup) : sent;
  const isOpen = clusterIP === NONE && spec['selector'] === undefined; // whoever fills it in may use any address
  const families = isOpen
    ? { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' }
    : { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
  return { ...service, spec: { ...families, ...spec, clusterIP, clusterIPs: [clusterIP] } };
}

/** An update that leaves the address out keeps it. */
function withAddressOf(service: KubeObject, old: KubeObject): KubeObject {
  const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy } = objectAt(old, 'spec');
  if (clusterIP === undefined) return service;
  const kept = Object.fromEntries(
    Object.entries({ clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy }).filter(([, value]) => value !== undefined),
  );
  return { ...service, spec: { ...kept, ...objectAt(service, 'spec') } };
}

/** Clients hold on to an address: it stays, unless the service has none of its own. */
function addressProblems(service: KubeObject, old: KubeObject): readonly Problem[] {
  const [next, before] = [textAt(service, 'spec', 'clusterIP'), textAt(old, 'spec', 'clusterIP')];
  const isExternal = [service, old].some((one) => textAt(one, 'spec', 'type') === 'ExternalName');
  if (isExternal || before === '' || next === before) return [];
  return [invalidValue(['spec', 'clusterIPs', 0], [next], 'may not change once set')];
}

/** The first of 10.96.0.0/16 that no service has. */
function freeAddress(lookup: ObjectLookup): string {
  const taken = new Set(lookup.list('/services').map((service) => textAt(service, 'spec', 'clusterIP')));
  taken.delete(NONE);
  for (let host = 1; host < 65535; host++) {
    const address = `10.96.${host >> 8}.${host & 255}`;
    if (!taken.has(address)) return address;
  }
  return NONE;
}
