/** On a claim: the node a volume is to be made for. Whoever makes volumes takes it off again when it cannot. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
/** On a claim: the volume it names has agreed. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
/** On a volume: its claim was chosen by a controller, so that unbinding may take it away again. */
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
/** How classes were named before there was a field for it; it still wins over the field. */
export const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
