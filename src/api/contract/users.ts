// Users of a server and the tokens by which their programs are known.
import { Type } from 'typebox';
import type { Routes } from '../route.ts';
import { fields, id, model, moment, name, nullable, project, text } from './model.ts';
import { roleSchema } from './system.ts';

export const userName = Type.String({
  pattern: '^[a-z0-9][a-z0-9._-]{0,62}$',
  description: 'lower-case letters, digits, dots, dashes and underscores',
});

const user = model('User', {
  user: text,
  role: roleSchema,
  projects: Type.Array(text),
  loggedInBy: nullable(Type.String({ description: 'who the user is to the OpenID provider' })),
  createdAt: moment,
  createdBy: text,
  disabledAt: nullable(moment),
});

const tokenFields = {
  token: id,
  user: text,
  name: text,
  role: roleSchema,
  project: nullable(text),
  createdAt: moment,
  expiresAt: nullable(moment),
  revokedAt: nullable(moment),
  usedAt: nullable(moment),
};

export const userRoutes = {
  listUsers: {
    method: 'GET',
    path: '/users',
    summary: 'list users, their roles and projects',
    role: 'admin',
    response: Type.Object({ items: Type.Array(user) }),
  },
  putUser: {
    method: 'PUT',
    path: '/users/{user}',
    summary: 'add a user, change role or projects, or enable a disabled one',
    role: 'admin',
    params: Type.Object({ user: userName }),
    body: fields({
      role: Type.Optional(roleSchema),
      projects: Type.Optional(
        Type.Array(Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,63}$' }), {
          maxItems: 100,
          description: 'what the user may see besides their own; as before without it',
        }),
      ),
    }),
    response: user,
  },
  disableUser: {
    method: 'DELETE',
    path: '/users/{user}',
    summary: 'shut a user out; what they computed stays',
    role: 'admin',
    params: Type.Object({ user: userName }),
    response: user,
  },
  listTokens: {
    method: 'GET',
    path: '/tokens',
    summary: 'list tokens: your own, or as an administrator those of anybody',
    role: 'viewer',
    query: Type.Object({ user: Type.Optional(userName) }),
    response: Type.Object({ items: Type.Array(model('Token', tokenFields)) }),
  },
  addToken: {
    method: 'POST',
    path: '/tokens',
    summary: 'make a token; its secret is shown only in this answer',
    role: 'viewer',
    body: fields({
      user: Type.Optional(userName),
      name: Type.Optional(name),
      role: Type.Optional(roleSchema),
      project: Type.Optional(project),
      forMs: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 8_000_000_000_000, description: 'for ever without it' }),
      ),
    }),
    response: model('NewToken', { ...tokenFields, secret: text }),
    status: 201,
  },
  revokeToken: {
    method: 'DELETE',
    path: '/tokens/{token}',
    summary: 'revoke a token',
    role: 'viewer',
    params: Type.Object({ token: id }),
    response: Type.Object({ token: id }),
  },
} as const satisfies Routes;
