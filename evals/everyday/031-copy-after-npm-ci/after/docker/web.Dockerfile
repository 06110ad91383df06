FROM node:20-alpine AS builder
WORKDIR /build
ENV NODE_ENV=development
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run lint
RUN npm run build

FROM node:20-alpine AS tools
WORKDIR /tools
COPY tools/package.json tools/package-lock.json ./
RUN npm ci --omit=dev
COPY tools/ .

FROM nginx:1.27-alpine
COPY docker/nginx.conf /etc/nginx/conf.d/default.conf
COPY --from=builder /build/dist /usr/share/nginx/html
COPY --from=tools /tools /opt/tools
EXPOSE 80
