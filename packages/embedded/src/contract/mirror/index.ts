import { changeScript } from './changes.ts';
import { kindScript } from './kinds.ts';
import { podScript } from './pods.ts';
import { protocolScript } from './protocol.ts';
import { refusalScript } from './refusals.ts';
import type { Script } from './script.ts';

/** What is asked of both servers, to be answered alike to the letter. */
export const MIRROR: readonly Script[] = [protocolScript, podScript, kindScript, changeScript, refusalScript];
