import { CUSTOM_RESOURCE_DEFINITION } from '../../custom/crd-rules.ts';
import { BUILTIN_RESOURCES, goTypeOf } from '../builtin.ts';
import { GoStrategy } from '../go-strategy.ts';
import { pathSegmentProblems } from '../metadata.ts';
import { CONFIG_MAP, SECRET } from './config.ts';
import { CORE_EVENT, EVENT, EVENT_CONVERSION } from './event.ts';
import type { KindRules } from './kind-rules.ts';
import { NAMESPACE } from './namespace.ts';
import { NODE } from './node.ts';
import { POD } from './pod.ts';
import { SERVICE } from './service.ts';
import {
  CSI_DRIVER,
  CSI_NODE,
  PERSISTENT_VOLUME,
  PERSISTENT_VOLUME_CLAIM,
  STORAGE_CLASS,
  VOLUME_ATTACHMENT,
} from './storage.ts';
import {
  CONTROLLER_REVISION,
  DAEMON_SET,
  DEPLOYMENT,
  JOB,
  LEASE,
  POD_DISRUPTION_BUDGET,
  POD_TEMPLATE,
  PRIORITY_CLASS,
  REPLICA_SET,
  REPLICATION_CONTROLLER,
  STATEFUL_SET,
} from './workload.ts';

const PLAIN: KindRules = {};
const ROLE: KindRules = { traits: { createsOnUpdate: true }, nameProblems: pathSegmentProblems };

/** The kinds that are more than their fields. */
const RULES: Readonly<Record<string, KindRules>> = {
  'core.ConfigMap': CONFIG_MAP,
  'core.Endpoints': { traits: { createsOnUpdate: true } },
  'core.Event': CORE_EVENT,
  'core.LimitRange': { traits: { createsOnUpdate: true } },
  'core.Namespace': NAMESPACE,
  'core.Node': NODE,
  'core.PersistentVolume': PERSISTENT_VOLUME,
  'core.PersistentVolumeClaim': PERSISTENT_VOLUME_CLAIM,
  'core.Pod': POD,
  'core.PodTemplate': POD_TEMPLATE,
  'core.ReplicationController': REPLICATION_CONTROLLER,
  'core.ResourceQuota': { traits: { returnsDeleted: true } },
  'core.Secret': SECRET,
  'core.Service': SERVICE,
  'core.ServiceAccount': { traits: { returnsDeleted: true } },
  'apps.ControllerRevision': CONTROLLER_REVISION,
  'apps.DaemonSet': DAEMON_SET,
  'apps.Deployment': DEPLOYMENT,
  'apps.ReplicaSet': REPLICA_SET,
  'apps.StatefulSet': STATEFUL_SET,
  'batch.Job': JOB,
  'policy.PodDisruptionBudget': POD_DISRUPTION_BUDGET,
  'storage.CSIDriver': CSI_DRIVER,
  'storage.CSINode': CSI_NODE,
  'storage.StorageClass': STORAGE_CLASS,
  'storage.VolumeAttachment': VOLUME_ATTACHMENT,
  'coordination.Lease': LEASE,
  'scheduling.PriorityClass': PRIORITY_CLASS,
  'events.Event': EVENT,
  'apiextensions.CustomResourceDefinition': CUSTOM_RESOURCE_DEFINITION,
  'rbac.ClusterRole': ROLE,
  'rbac.ClusterRoleBinding': ROLE,
  'rbac.Role': ROLE,
  'rbac.RoleBinding': ROLE,
};

/** A strategy for each built-in resource. */
export function builtinStrategies(): readonly GoStrategy[] {
  return BUILTIN_RESOURCES.map((resource) => {
    const type = goTypeOf(resource);
    return new GoStrategy(resource, RULES[type] ?? PLAIN, type === 'events.Event' ? EVENT_CONVERSION : undefined);
  });
}
