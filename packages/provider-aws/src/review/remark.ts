import type { Remark } from '@karpenter-ts/apis/manifests';

/** What there is to say about a text in a NodeClass; the line is one of that text, from 1. */
export type TextRemark = Omit<Remark, 'field'>;

export function wrong(message: string, more: Pick<TextRemark, 'hint' | 'textLine'> = {}): TextRemark {
  return { severity: 'error', message, ...more };
}

export function doubtful(message: string, more: Pick<TextRemark, 'hint' | 'textLine'> = {}): TextRemark {
  return { severity: 'warning', message, ...more };
}

/** The line of a place in a text, from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, Math.max(offset, 0)).split('\n').length;
}

/** The remarks about a part of a text, as remarks about the text. */
export function below(remarks: readonly TextRemark[], linesBefore: number): readonly TextRemark[] {
  return remarks.map((remark) =>
    remark.textLine === undefined ? remark : { ...remark, textLine: remark.textLine + linesBefore },
  );
}
