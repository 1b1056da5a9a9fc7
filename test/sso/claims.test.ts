import { expect, test } from 'bun:test'
import { type Claims, groupsOf } from '../../src/sso/openid-connect.ts'

test.each<[title: string, path: string, Claims, string[] | undefined]>([
  ['a list', 'groups', { groups: ['crew', 'admins'] }, ['crew', 'admins']],
  ['an empty list', 'groups', { groups: [] }, []],
  ['one name', 'groups', { groups: 'podcast admins' }, ['podcast admins']],
  ['roles of a realm at Keycloak', 'realm_access.roles', { realm_access: { roles: ['admins'] } }, ['admins']],
  [
    'roles of a client at Keycloak whose ID holds dots',
    'resource_access.pods.home.example.roles',
    { resource_access: { 'pods.home.example': { roles: ['admins'] } } },
    ['admins'],
  ],
  ['a name that holds dots', 'a.b', { 'a.b': ['admins'], a: { b: ['crew'] } }, ['admins']],
  ['a name that begins with a dot', '.b', { '.b': ['admins'] }, ['admins']],
  [
    'roles at Zitadel',
    'urn:zitadel:iam:org:project:roles',
    { 'urn:zitadel:iam:org:project:roles': { admins: { 28: 'home.example' } } },
    ['admins'],
  ],
  ['roles at Zitadel in a list', 'roles', { roles: [{ admins: { 28: 'home.example' } }, 'crew'] }, ['admins', 'crew']],
  ['an object of truth values', 'groups', { groups: { admins: true, crew: false, guests: null } }, ['admins']],
  ['an empty object', 'groups', { groups: {} }, []],
  ['nothing', 'groups', {}, undefined],
  ['null', 'groups', { groups: null }, undefined],
  ['a number', 'groups', { groups: 7 }, undefined],
  ['a list of something else', 'groups', { groups: [{ name: 'admins' }, 7, ['admins']] }, undefined],
  ['a path that ends in a text', 'a.b', { a: 'b' }, undefined],
  ['a path to what every object has', 'a.constructor', { a: {} }, undefined],
  ['a name that every object has', 'constructor', {}, undefined],
])('the groups in %s', (_title, path, claims, expected) => expect(groupsOf(claims, path)).toEqual(expected))
