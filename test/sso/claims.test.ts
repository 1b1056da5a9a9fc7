import { expect, test } from 'bun:test'
import { type Claims, groupsOf } from '../../src/sso/openid-connect.ts'

test.each<[title: string, path: string, Claims, string[] | undefined]>([
  ['a list', 'groups', { groups: ['crew', 'admins'] }, ['crew', 'admins']],
  ['an empty list', 'groups', { groups: [] }, []],
  ['one name', 'groups', { groups: 'podcast admins' }, ['podcast admins']],
  ['roles of a Keycloak realm', 'realm_access.roles', { realm_access: { roles: ['admins'] } }, ['admins']],
  [
    'roles of a Keycloak client whose ID contains dots',
    'resource_access.pods.home.example.roles',
    { resource_access: { 'pods.home.example': { roles: ['admins'] } } },
    ['admins'],
  ],
  ['a name that contains dots', 'a.b', { 'a.b': ['admins'], a: { b: ['crew'] } }, ['admins']],
  ['a name that begins with a dot', '.b', { '.b': ['admins'] }, ['admins']],
  [
    'roles in Zitadel',
    'urn:zitadel:iam:org:project:roles',
    { 'urn:zitadel:iam:org:project:roles': { admins: { 28: 'home.example' } } },
    ['admins'],
  ],
  ['a list of roles in Zitadel', 'roles', { roles: [{ admins: { 28: 'home.example' } }, 'crew'] }, ['admins', 'crew']],
  ['an object of booleans', 'groups', { groups: { admins: true, crew: false, guests: null } }, ['admins']],
  ['an empty object', 'groups', { groups: {} }, []],
  ['nothing', 'groups', {}, undefined],
  ['null', 'groups', { groups: null }, undefined],
  ['a number', 'groups', { groups: 7 }, undefined],
  ['a list without names', 'groups', { groups: [{ name: 'admins' }, 7, ['admins']] }, undefined],
  ['a path into a string', 'a.b', { a: 'b' }, undefined],
  ['a path to a property of every object', 'a.constructor', { a: {} }, undefined],
  ['a property of every object', 'constructor', {}, undefined],
])('reads the groups claim: %s', (_title, path, claims, expected) => expect(groupsOf(claims, path)).toEqual(expected))
