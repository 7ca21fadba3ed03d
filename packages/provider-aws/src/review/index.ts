// What `karpenter check` says of EC2NodeClasses. Nothing here loads AWS' SDK.
export { reviewNodeClass, type ReviewOptions } from './review-node-class.ts';
