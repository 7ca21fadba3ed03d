import type { GoField, GoStruct } from '../kinds/go-types.ts';

/** What users must write: what Go always writes, unless it can tell by itself that it is empty, with exceptions. */
export function isRequired(struct: GoStruct, name: string, { type, omitEmpty }: GoField): boolean {
  const path = `${struct.name}.${name}`;
  if (REQUIRED.has(path)) return true;
  return !omitEmpty && type.form !== 'struct' && type.form !== 'opaque' && !OPTIONAL.has(path);
}

/** Structures that cannot be left out. */
export const REQUIRED: ReadonlySet<string> = new Set([
  'apiextensions.CustomResourceDefinition.spec',
  'apiextensions.CustomResourceDefinitionSpec.names',
  'apps.DaemonSetSpec.template',
  'apps.DeploymentSpec.template',
  'apps.StatefulSetSpec.template',
  'batch.JobSpec.template',
  'core.ContainerRestartRule.action',
  'core.ContainerRestartRuleOnExitCodes.operator',
  'core.Event.involvedObject',
  'core.Event.metadata',
  'core.HTTPGetAction.port',
  'core.PersistentVolumeClaimTemplate.spec',
  'core.PodCertificateProjection.keyType',
  'core.PodCertificateProjection.signerName',
  'core.PreferredSchedulingTerm.preference',
  'core.TCPSocketAction.port',
  'core.WeightedPodAffinityTerm.podAffinityTerm',
  'events.Event.eventTime',
  'events.EventSeries.lastObservedTime',
  'meta.Condition.lastTransitionTime',
  'rbac.ClusterRoleBinding.roleRef',
  'rbac.RoleBinding.roleRef',
  'storage.CSIDriver.spec',
  'storage.CSINode.spec',
  'storage.VolumeAttachment.spec',
  'storage.VolumeAttachmentSpec.source',
]);

/** What Go writes and users need not. */
export const OPTIONAL: ReadonlySet<string> = new Set([
  'apiextensions.CustomResourceDefinitionStatus.conditions',
  'apiextensions.CustomResourceDefinitionStatus.storedVersions',
  'apps.StatefulSetOrdinals.start',
  'apps.StatefulSetSpec.serviceName',
  'apps.StatefulSetStatus.availableReplicas',
  'batch.PodFailurePolicyOnPodConditionsPattern.status',
  'core.AzureFilePersistentVolumeSource.secretNamespace',
  'core.ContainerImage.names',
  'core.Event.reportingComponent',
  'core.Event.reportingInstance',
  'core.GRPCAction.service',
  'core.NodeRuntimeHandler.name',
  'core.ProjectedVolumeSource.sources',
  'core.TypedLocalObjectReference.apiGroup',
  'core.TypedObjectReference.apiGroup',
  'rbac.ClusterRole.rules',
  'rbac.Role.rules',
  'storage.CSINodeDriver.topologyKeys',
]);
