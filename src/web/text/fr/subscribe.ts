export const subscribe = {
  subscribe: 'S’abonner',
  subscribed: 'Abonné',
  onSome: '{n} appareils sur {all}',
  choose: 'Quels appareils reçoivent « {title} » ?',
  chooseLead: 'Ils le récupèrent à leur prochaine synchronisation.',
  inStep: 'Une seule liste : ces appareils restent synchronisés.',
  everywhere: 'Se désabonner',
  done: '« {title} » est sur tous tes appareils.',
  changed: 'Ton choix pour « {title} » est enregistré.',
  ended: 'Tu n’es plus abonné à « {title} ».',
  noDevice: 'Tu n’as pas encore d’appareil',
  noDeviceLead:
    'Les abonnements appartiennent à des appareils. Connecte une appli : elle apporte le sien. Ou garde ce podcast pour l’instant sur un appareil appelé « web » ; une appli pourra le reprendre plus tard.',
  makeDevice: 'Utiliser un appareil « web »',
  connect: 'Connecter une appli',
}
