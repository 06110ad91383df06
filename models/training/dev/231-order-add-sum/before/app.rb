require "sinatra/base"
require_relative "lib/order"
require_relative "lib/pricing"
require_relative "lib/opening_hours"

class BakeryApp < Sinatra::Base
  set :port, 4567

  get "/health" do
    "ok"
  end

  get "/orders/:id" do
    @order = Order.find(params[:id].to_i)
    halt 404, "no such order" unless @order
    erb :order
  end

  post "/orders" do
    order = Order.new(customer: params[:customer], pickup: params[:pickup])
    Array(params[:items]).each { |name, count| order.add(name, count.to_i) }
    halt 422, order.errors.join(", ") unless order.valid?
    order.save
    redirect "/orders/#{order.id}"
  end
end
