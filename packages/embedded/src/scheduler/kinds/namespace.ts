export { NAMESPACES } from '@karpenter-ts/kubernetes';
