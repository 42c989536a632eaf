import { survives } from './support/survives.js';

// Full size needs processors that no other test uses: npm run attack -- dns-floods dns-half-sent dns-unread-answers
await survives(['dns-floods', 'dns-half-sent', 'dns-unread-answers'], { scale: 0.2 });
