Rails.application.routes.draw do
  root "rooms#index"

  resources :rooms, only: %i[index show] do
    resources :photos, only: %i[index]
    resources :reviews, only: %i[index create]
  end

  resources :bookings, only: %i[new create show]

  namespace :admin do
    resources :rooms
    resources :reviews, only: %i[index destroy]
    resources :bookings, only: %i[index update]
  end
end
