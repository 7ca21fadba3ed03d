import assert from 'node:assert/strict';
import { DeleteParameterCommand, GetParameterCommand, PutParameterCommand } from '@aws-sdk/client-ssm';
import type { ContractCase } from '../contract-case.ts';

export const SSM_CASES: readonly ContractCase[] = [
  {
    name: 'a parameter is found by its name and by its ARN',
    services: ['ssm'],
    run: async ({ ssm, unique }) => {
      const Name = `/${unique('images')}/standard/image_id`;
      await ssm.send(new PutParameterCommand({ Name, Value: 'ami-1', Type: 'String' }));
      const { Parameter } = await ssm.send(new GetParameterCommand({ Name }));
      assert.equal(Parameter!.Value, 'ami-1');
      assert.equal(Parameter!.Name, Name);
      assert.equal(Parameter!.Version, 1);
      assert.ok(Parameter!.LastModifiedDate instanceof Date);
      assert.match(Parameter!.ARN!, new RegExp(`^arn:aws:ssm:us-east-1:\\d{12}:parameter${Name}$`));
      const byArn = await ssm.send(new GetParameterCommand({ Name: Parameter!.ARN! }));
      assert.equal(byArn.Parameter!.Value, 'ami-1');
    },
  },
  {
    name: 'a parameter that is not there is not found',
    services: ['ssm'],
    run: async ({ ssm, unique }) => {
      const Name = `/${unique('images')}/image_id`;
      await assert.rejects(ssm.send(new GetParameterCommand({ Name })), {
        name: 'ParameterNotFound',
        $fault: 'client',
      });
      await ssm.send(new PutParameterCommand({ Name, Value: 'ami-1', Type: 'String' }));
      await ssm.send(new DeleteParameterCommand({ Name }));
      await assert.rejects(ssm.send(new GetParameterCommand({ Name })), { name: 'ParameterNotFound' });
    },
  },
  {
    name: 'a parameter is written over only if that is asked for, and has a new version then',
    services: ['ssm'],
    run: async ({ ssm, unique }) => {
      const parameter = { Name: `/${unique('images')}/image_id`, Type: 'String' as const };
      await ssm.send(new PutParameterCommand({ ...parameter, Value: 'ami-1' }));
      const again = new PutParameterCommand({ ...parameter, Value: 'ami-2' });
      await assert.rejects(ssm.send(again), { name: 'ParameterAlreadyExists' });
      await ssm.send(new PutParameterCommand({ ...parameter, Value: 'ami-2', Overwrite: true }));
      const { Parameter } = await ssm.send(new GetParameterCommand({ Name: parameter.Name }));
      assert.deepEqual([Parameter!.Value, Parameter!.Version], ['ami-2', 2]);
    },
  },
  {
    name: 'nobody but AWS writes the parameters of AWS',
    services: ['ssm'],
    run: async ({ ssm, unique }) => {
      const Name = `/aws/service/${unique('images')}/image_id`;
      await assert.rejects(ssm.send(new PutParameterCommand({ Name, Value: 'ami-1', Type: 'String' })), {
        $fault: 'client',
      });
      await assert.rejects(ssm.send(new GetParameterCommand({ Name })), { name: 'ParameterNotFound' });
    },
  },
];
