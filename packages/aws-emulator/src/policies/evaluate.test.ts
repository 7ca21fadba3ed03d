import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RequestContext } from './conditions.ts';
import { evaluate } from './evaluate.ts';
import { PermissionUse } from './permission-use.ts';
import { readPolicy } from './policy-document.ts';

const INSTANCE = 'arn:aws:ec2:us-east-1:111122223333:instance/i-1';

/** Whether a statement, with `Allow` for all unless it says otherwise, allows the request. */
function allows(statement: object, context: RequestContext = {}, action = 'ec2:RunInstances', resource = INSTANCE) {
  const { statements, problems } = readPolicy({
    Statement: { Effect: 'Allow', Action: '*', Resource: '*', ...statement },
  });
  assert.deepEqual(problems, []);
  return evaluate(statements, { action, resource, context }).kind === 'allowed';
}

test('actions match in any letter case and with wildcards', () => {
  const asked = ['ec2:RunInstances', 'EC2:runinstances', 'ec2:Run*', 'ec2:*', '*', 'ec2:Run?nstances'];
  for (const Action of asked) assert.equal(allows({ Action }), true, Action);
  for (const Action of ['ec2:RunInstance', 'iam:RunInstances', 'ec2:Run?'])
    assert.equal(allows({ Action }), false, Action);
  assert.equal(allows({ Action: undefined, NotAction: 'iam:*' }), true);
  assert.equal(allows({ Action: undefined, NotAction: ['iam:*', 'ec2:Run*'] }), false);
});

test('resources match with wildcards, which reach over colons and slashes', () => {
  for (const Resource of [INSTANCE, '*', 'arn:*:instance/*', 'arn:aws:ec2:*:*:instance/*', 'arn:aws:ec2:us-east-?:*']) {
    assert.equal(allows({ Resource }), true, Resource);
  }
  for (const Resource of ['arn:aws:ec2:us-east-1::instance/*', 'arn:aws:ec2:*:*:volume/*', 'arn:aws.ec2*']) {
    assert.equal(allows({ Resource }), false, Resource);
  }
  assert.equal(allows({ Resource: undefined, NotResource: 'arn:aws:ec2:*:*:volume/*' }), true);
});

describe('conditions', () => {
  const cases: readonly [operator: string, key: string, wanted: unknown, context: RequestContext, holds: boolean][] = [
    ['StringEquals', 'a', 'x', { a: 'x' }, true],
    ['StringEquals', 'A', ['w', 'x'], { a: 'x' }, true],
    ['StringEquals', 'a', 'X', { a: 'x' }, false],
    ['StringEquals', 'a', 'x', {}, false],
    ['StringEqualsIgnoreCase', 'a', 'X', { a: 'x' }, true],
    ['StringEqualsIfExists', 'a', 'x', {}, true],
    ['StringEqualsIfExists', 'a', 'x', { a: 'y' }, false],
    ['StringNotEquals', 'a', 'x', { a: 'y' }, true],
    ['StringNotEquals', 'a', ['x', 'y'], { a: 'y' }, false],
    ['StringNotEquals', 'a', 'x', {}, true],
    ['StringLike', 'a', '*', { a: '' }, true],
    ['StringLike', 'a', 'x*z?', { a: 'xyzzy' }, true],
    ['StringLike', 'a', '*', {}, false],
    ['StringNotLike', 'a', 'x*', { a: 'xy' }, false],
    ['Null', 'a', 'true', {}, true],
    ['Null', 'a', false, {}, false],
    ['Bool', 'a', true, { a: 'true' }, true],
    ['ArnLike', 'a', 'arn:aws:sqs:*:*:q', { a: 'arn:aws:sqs:us-east-1:1:q' }, true],
    ['ArnLike', 'a', 'arn:aws:sqs:*:q', { a: 'arn:aws:sqs:us-east-1:1:q' }, false],
    ['ForAllValues:StringEquals', 'a', ['x', 'y'], { a: ['x'] }, true],
    ['ForAllValues:StringEquals', 'a', ['x', 'y'], { a: ['x', 'z'] }, false],
    ['ForAllValues:StringEquals', 'a', ['x'], {}, true],
    ['ForAnyValue:StringEquals', 'a', ['x'], { a: ['z', 'x'] }, true],
    ['ForAnyValue:StringEquals', 'a', ['x'], {}, false],
  ];
  for (const [operator, key, wanted, context, holds] of cases) {
    test(`${operator} ${JSON.stringify(wanted)} ${holds ? 'holds' : 'does not hold'} for ${JSON.stringify(context)}`, () => {
      assert.equal(allows({ Condition: { [operator]: { [key]: wanted } } }, context), holds);
    });
  }
});

test('a statement that denies overrides all that allow', () => {
  const { statements } = readPolicy({
    Statement: [
      { Effect: 'Allow', Action: '*', Resource: '*' },
      { Sid: 'NotHere', Effect: 'Deny', Action: 'ec2:*', Resource: '*', Condition: { StringEquals: { r: 'here' } } },
    ],
  });
  const verdict = (r: string) =>
    evaluate(statements, { action: 'ec2:RunInstances', resource: INSTANCE, context: { r } });
  assert.equal(verdict('there').kind, 'allowed');
  assert.equal(verdict('here').kind, 'denied-explicitly');
});

test('what nearly allows a request is named, with what is missing', () => {
  const { statements } = readPolicy({
    Statement: {
      Sid: 'S',
      Effect: 'Allow',
      Action: 'ec2:*',
      Resource: 'arn:other',
      Condition: { StringEquals: { a: 'x' } },
    },
  });
  const verdict = evaluate(statements, { action: 'ec2:RunInstances', resource: INSTANCE, context: {} });
  assert.deepEqual(verdict, {
    kind: 'not-allowed',
    near: [
      {
        statement: statements[0],
        isResourceOther: true,
        unmet: [{ operator: 'StringEquals', key: 'a', values: ['x'] }],
      },
    ],
  });
});

test('all that is wrong with a policy is told with its place', () => {
  const { problems } = readPolicy(
    {
      Version: '2013-10-17',
      Statement: [
        { Effect: 'allow', Action: 'RunInstances', Resource: '*' },
        { Effect: 'Allow', Actions: 'ec2:*', Resource: [1] },
        { Effect: 'Allow', Action: 'ec2:*', Resource: '*', Condition: { StringIs: { a: 'b' }, StringLike: { a: {} } } },
        'Allow',
      ],
    },
    'PolicyDocument',
  );
  assert.deepEqual(problems, [
    'PolicyDocument.Version: must be "2012-10-17"',
    'PolicyDocument.Statement[0].Effect: must be "Allow" or "Deny"',
    'PolicyDocument.Statement[0].Action: "RunInstances" is no action, such as "ec2:RunInstances"',
    'PolicyDocument.Statement[1].Actions: is no member of a statement',
    'PolicyDocument.Statement[1]: needs either Action or NotAction',
    'PolicyDocument.Statement[1].Resource: must be a string or a list of strings',
    'PolicyDocument.Statement[2].Condition.StringIs: is no operator of conditions',
    'PolicyDocument.Statement[2].Condition.StringLike.a: must be a string or a list of strings',
    'PolicyDocument.Statement[3]: is no statement',
  ]);
  assert.deepEqual(readPolicy([]).problems, ['the document: is no policy']);
  assert.deepEqual(readPolicy({}, 'a').problems, ['a.Statement: is missing']);
});

test('what nothing has used of a policy is told', () => {
  const { statements } = readPolicy({
    Statement: {
      Sid: 'S',
      Effect: 'Allow',
      Action: ['ec2:RunInstances', 'ec2:CreateFleet'],
      Resource: [INSTANCE, 'arn:other'],
      Condition: { StringEquals: { a: ['x', 'y'] } },
    },
  });
  const use = new PermissionUse();
  const verdict = evaluate(statements, { action: 'ec2:RunInstances', resource: INSTANCE, context: { a: 'y' } });
  assert.equal(verdict.kind, 'allowed');
  for (const grant of verdict.by) use.add(grant);
  assert.deepEqual(use.unused(statements), ['S: ec2:CreateFleet', 'S: on arn:other', 'S: if StringEquals a x']);
});
