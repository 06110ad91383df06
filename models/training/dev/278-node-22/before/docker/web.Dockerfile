FROM node:22-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build

FROM node:20-slim
WORKDIR /srv
COPY --from=build /src/dist ./dist
USER node
EXPOSE 3000
CMD ["node", "dist/index.js"]
