// The answer of every route that submits a run.
import { Type } from 'typebox';
import { id, model } from './model.ts';

export const submittedRun = model('SubmittedRun', {
  run: id,
  repeated: Type.Boolean({ description: 'true when the idempotency key was known already' }),
});

export const idempotency = Type.Object({
  idempotencyKey: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'a repeated submission with the same key gives the same run',
    }),
  ),
});
