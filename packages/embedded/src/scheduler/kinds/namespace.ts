export { NAMESPACES } from '@karpenter-ts/runtime/kinds';
