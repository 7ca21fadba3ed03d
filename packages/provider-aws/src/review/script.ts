import { reviewScriptPlaceholders } from './placeholders.ts';
import { doubtful, lineAt, type TextRemark, wrong } from './remark.ts';

const BOOTSTRAP = '/etc/eks/bootstrap.sh';

/** A script that cloud-init runs on Amazon Linux. */
export function reviewShellScript(script: string, family: string): readonly TextRemark[] {
  const remarks: TextRemark[] = [];
  if (!script.trimStart().startsWith('#!')) {
    remarks.push(
      doubtful('the script does not begin with #!, so that the instance cannot run it', {
        hint: 'begin it with #!/bin/bash',
        textLine: 1,
      }),
    );
  }
  const call = findBootstrapCall(script);
  if (call !== undefined) remarks.push(bootstrapRemark(family, call));
  return [...remarks, ...reviewScriptPlaceholders(script)];
}

/** The line that runs the bootstrap script of Amazon Linux 2, unless the script looks first whether it is there. */
function findBootstrapCall(script: string): number | undefined {
  if (/(?:-[efrsx]|\btest\b[^\n]*)\s+["']?\/etc\/eks\/bootstrap\.sh/.test(script)) return undefined;
  const line = script.split('\n').findIndex((text) => !/^\s*#/.test(text) && text.includes(BOOTSTRAP));
  return line === -1 ? undefined : line + 1;
}

function bootstrapRemark(family: string, textLine: number): TextRemark {
  if (family === 'AL2') {
    return doubtful(`Karpenter runs ${BOOTSTRAP} itself, so that it would run twice`, {
      hint: 'take the call out, and set spec.kubelet and the labels and taints of the NodePool',
      textLine,
    });
  }
  return wrong(`there is no ${BOOTSTRAP} on AL2023, where nodeadm starts the kubelet`, {
    hint: 'use spec.kubelet, or a NodeConfig (apiVersion: node.eks.aws/v1alpha1)',
    textLine,
  });
}

/** What becomes part of Karpenter's own PowerShell script. */
export function reviewPowerShell(script: string): readonly TextRemark[] {
  const tag = /<\/?(powershell|script|persist)>/i.exec(script);
  const tags = tag
    ? [
        wrong(`the tag ${tag[0]} ends up within Karpenter's own <powershell> tags, where EC2 does not take it`, {
          hint: 'write the commands without tags',
          textLine: lineAt(script, tag.index),
        }),
      ]
    : [];
  const isShell = /^\s*#!\s*\//.test(script);
  const shell = isShell ? [wrong('this is a script for Linux; Windows runs PowerShell', { textLine: 1 })] : [];
  return [...tags, ...shell, ...reviewScriptPlaceholders(script)];
}
