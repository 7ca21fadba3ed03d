import { changeScript } from './changes.ts';
import { kindScript } from './kinds.ts';
import { podScript } from './pods.ts';
import { protocolScript } from './protocol.ts';
import { refusalScript } from './refusals.ts';
import type { Script } from './script.ts';

/** The requests that both servers get; their answers must be equal in every character that can be compared. */
export const DIFFERENTIAL_SCRIPTS: readonly Script[] = [
  protocolScript,
  podScript,
  kindScript,
  changeScript,
  refusalScript,
];
