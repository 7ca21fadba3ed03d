/** How an instance of the fleet may fail to become the Node it should be. */
export type JoinFault =
  /** It never shows up. */
  | 'never'
  /** It shows up after minutes. */
  | 'late'
  /** Its Node names another instance. */
  | 'wrong-id'
  /** Its Node has no labels, and no taint to hold pods back. */
  | 'bare'
  /** Its Node is there, but its kubelet never is. */
  | 'never-ready'
  /** Two Nodes name it. */
  | 'twice';

export const JOIN_FAULTS: readonly JoinFault[] = ['never', 'late', 'wrong-id', 'bare', 'never-ready', 'twice'];
