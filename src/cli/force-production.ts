/** Elysia reads this when it is loaded. In other modes, it includes the whole rejected body in every error. */
process.env['NODE_ENV'] = 'production'
